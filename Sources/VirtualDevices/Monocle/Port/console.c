// The two rings between radio and REPL, and what the firmware does while it waits (main.c).
#include <string.h>

#include "py/mphal.h"
#include "py/runtime.h"
#include "py/stream.h"
#include "shared/runtime/interrupt_char.h"
#include "unit.h"
#include "wire.h"

#define RING 1024
// The clock wakes the firmware 1024 times a second, and counts in 24 bits.
#define TICK_MICROSECONDS 977
#define TICKS 0x1000000

static struct {
    uint8_t bytes[RING];
    uint16_t head, tail;
} received, printed;

void console_hear(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        uint16_t next = (received.head + 1) % RING;
        // The check for room comes first: with a full ring nothing acts.
        if (next == received.tail) {
            return;
        }
        if (bytes[i] == 0x1C) {
            unit_reset(UNIT_RESET_SAFE_MODE);
        } else if (bytes[i] == mp_interrupt_char) {
            // What lay in this place 1024 bytes ago stays and is read later.
            mp_sched_keyboard_interrupt();
        } else {
            received.bytes[received.head] = bytes[i];
        }
        received.head = next;
    }
}

// Sends one notification of what was printed. True when nothing is left to send, or nobody listens.
bool console_send(void) {
    if (!unit_is_subscribed(false) || printed.head == printed.tail) {
        return true;
    }
    if (wire_radio.payload == 0) {
        // Before an MTU exchange the firmware copies all that waits into a buffer of 256 bytes on its stack.
        uint16_t waiting = (printed.head - printed.tail + RING) % RING;
        if (waiting > 256) {
            unit_reset(UNIT_RESET_CRASHED);
        }
    }
    if (wire_radio.places == 0) {
        return false;
    }
    uint8_t bytes[RING];
    uint16_t length = 0;
    while (printed.tail != printed.head && (wire_radio.payload == 0 || length < wire_radio.payload)) {
        bytes[length++] = printed.bytes[printed.tail];
        printed.tail = (printed.tail + 1) % RING;
    }
    wire_radio.places--;
    wire_put('N', bytes, length);
    return false;
}

static void wait_for(uint32_t microseconds) {
    wire_put('W', &microseconds, 4);
    wire_exchange(UNIT_WHY_WAIT);
}

// The firmware's wait hook: while output is left to send, callbacks and interrupts have to wait.
static void poll(uint32_t microseconds) {
    if (!console_send()) {
        if (wire_radio.places == 0) {
            wire_exchange(UNIT_WHY_ROOM);
        }
        return;
    }
    mp_handle_pending(true);
    // What a callback printed leaves with the next tick, and the next callback runs then.
    bool has_more = (unit_is_subscribed(false) && printed.head != printed.tail) || mp_sched_num_pending() > 0;
    wait_for(has_more && microseconds > TICK_MICROSECONDS ? TICK_MICROSECONDS : microseconds);
}

void unit_wait(uint32_t microseconds) {
    uint64_t end = unit_now() + microseconds;
    for (uint64_t now = unit_now(); now < end; now = unit_now()) {
        poll(end - now);
    }
}

bool unit_notify_data(const void *data, size_t length) {
    // Everything printed goes first, and neither callbacks nor interrupts act meanwhile.
    while (!console_send()) {
        if (wire_radio.places == 0) {
            wire_exchange(UNIT_WHY_ROOM);
        }
    }
    if (!unit_is_subscribed(true) || wire_radio.places == 0) {
        return false;
    }
    wire_radio.places--;
    wire_put('M', data, length);
    return true;
}

// The condition of the firmware: a full ring is not noticed while the read position is 0, and then 1024 bytes are lost.
mp_uint_t mp_hal_stdout_tx_strn(const char *text, size_t length) {
    unit_charge(length);
    for (uint16_t position = 0; position < length; position++) {
        while (printed.head == (uint16_t)(printed.tail - 1)) {
            poll(1000000);
        }
        printed.bytes[printed.head] = text[position];
        printed.head = (printed.head + 1) % RING;
    }
    return length;
}

int mp_hal_stdin_rx_chr(void) {
    while (received.head == received.tail) {
        poll(UINT32_MAX);
    }
    int byte = received.bytes[received.tail];
    received.tail = (received.tail + 1) % RING;
    // Some sixteen instructions.
    unit_budget -= 600;
    return byte;
}

// The firmware answers the wrong way round: readable when nothing waits.
uintptr_t mp_hal_stdio_poll(uintptr_t flags) {
    return received.head == received.tail ? flags & MP_STREAM_POLL_RD : 0;
}

static uint32_t ticks(void) { return (uint32_t)(unit_now() * 1024 / 1000000 % TICKS); }

// In single floats; falls to 0 every 16,384 s.
mp_uint_t mp_hal_ticks_ms(void) { return (mp_uint_t)((float)ticks() / 1024 * 1000); }

mp_uint_t mp_hal_ticks_us(void) { return 0; }
mp_uint_t mp_hal_ticks_cpu(void) { return 0; }
uint64_t mp_hal_time_ns(void) { return 0; }
void mp_hal_delay_us(mp_uint_t microseconds) { (void)microseconds; }

void mp_hal_delay_ms(mp_uint_t milliseconds) {
    uint32_t start = mp_hal_ticks_ms();
    for (uint32_t passed = 0; passed < milliseconds; passed = mp_hal_ticks_ms() - start) {
        // Where the counter falls to 0 the wait is over.
        uint64_t microseconds = (uint64_t)(milliseconds - passed) * 1000;
        uint64_t to_zero = (uint64_t)(TICKS - ticks()) * 1000000 / 1024 + TICK_MICROSECONDS;
        microseconds = microseconds < to_zero ? microseconds : to_zero;
        poll(microseconds < TICK_MICROSECONDS ? TICK_MICROSECONDS : microseconds > 3600000000u ? 3600000000u : (uint32_t)microseconds);
    }
}
