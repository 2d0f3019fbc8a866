// Before py/gc.c: its blocks count apart (effort.c).
#pragma once
__asm__(".set __sanitizer_cov_trace_pc, unit_collector_block");
