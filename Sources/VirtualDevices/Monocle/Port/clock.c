// time and random, as far as the firmware has them (modules/time.c; random starts from seed 0).
#include <stdio.h>
#include <string.h>

#include "py/mphal.h"
#include "py/runtime.h"
#include "shared/timeutils/timeutils.h"
#include "unit.h"

// Kept by a soft reset.
static uint64_t seconds_at_boot;
static int zone_hours;
static unsigned zone_minutes;

uint32_t unit_milliseconds(float seconds) {
    float milliseconds = 1000 * seconds;
    return milliseconds >= 4294967040.0f ? UINT32_MAX : milliseconds > 0 ? (uint32_t)milliseconds : 0;
}

static mp_obj_t time_sleep(mp_obj_t seconds) {
    mp_hal_delay_ms(unit_milliseconds(mp_obj_get_float(seconds)));
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(time_sleep_object, time_sleep);

static mp_obj_t time_sleep_ms(mp_obj_t argument) {
    mp_int_t milliseconds = mp_obj_get_int(argument);
    if (milliseconds >= 0) {
        mp_hal_delay_ms(milliseconds);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(time_sleep_ms_object, time_sleep_ms);

static mp_obj_t time_sleep_us(mp_obj_t argument) {
    mp_obj_get_int(argument);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(time_sleep_us_object, time_sleep_us);

// 30 bits: the positive half of a small integer on a 32-bit machine.
#define TICKS_PERIOD ((mp_uint_t)1 << 30)

static mp_obj_t time_ticks_ms(void) { return MP_OBJ_NEW_SMALL_INT(mp_hal_ticks_ms() & (TICKS_PERIOD - 1)); }
static MP_DEFINE_CONST_FUN_OBJ_0(time_ticks_ms_object, time_ticks_ms);

static mp_obj_t time_ticks_zero(void) { return MP_OBJ_NEW_SMALL_INT(0); }
static MP_DEFINE_CONST_FUN_OBJ_0(time_ticks_zero_object, time_ticks_zero);

static mp_obj_t time_ticks_diff(mp_obj_t end, mp_obj_t start) {
    mp_uint_t difference = (mp_uint_t)MP_OBJ_SMALL_INT_VALUE(end) - (mp_uint_t)MP_OBJ_SMALL_INT_VALUE(start) + TICKS_PERIOD / 2;
    return MP_OBJ_NEW_SMALL_INT((mp_int_t)(difference & (TICKS_PERIOD - 1)) - (mp_int_t)(TICKS_PERIOD / 2));
}
static MP_DEFINE_CONST_FUN_OBJ_2(time_ticks_diff_object, time_ticks_diff);

static mp_obj_t time_ticks_add(mp_obj_t ticks, mp_obj_t change) {
    mp_uint_t sum = (mp_uint_t)mp_obj_get_int(ticks) + (mp_uint_t)mp_obj_get_int(change);
    return MP_OBJ_NEW_SMALL_INT(sum & (TICKS_PERIOD - 1));
}
static MP_DEFINE_CONST_FUN_OBJ_2(time_ticks_add_object, time_ticks_add);

static uint64_t seconds_now(void) { return seconds_at_boot + mp_hal_ticks_ms() / 1000; }

static mp_obj_t time_time(size_t count, const mp_obj_t *arguments) {
    if (count == 0) {
        return mp_obj_new_int_from_ull(seconds_now());
    }
    mp_int_t now = mp_obj_get_int(arguments[0]), running = mp_hal_ticks_ms() / 1000;
    if (now < running) {
        mp_raise_ValueError(MP_ERROR_TEXT("value given must be positive"));
    }
    seconds_at_boot = now - running;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(time_time_object, 0, 1, time_time);

static mp_obj_t zone_text(void) {
    char text[16];
    int length = snprintf(text, sizeof(text), "%02d:%02u", zone_hours, zone_minutes);
    return mp_obj_new_str(text, length);
}

static mp_obj_t time_zone(size_t count, const mp_obj_t *arguments) {
    if (count == 0) {
        return zone_text();
    }
    int hours = 0, minutes = 0;
    if (sscanf(mp_obj_str_get_str(arguments[0]), "%d:%d", &hours, &minutes) != 2) {
        mp_raise_ValueError(MP_ERROR_TEXT("must be '+hh:mm' or '-hh:mm'"));
    }
    if (hours < -12 || hours > 14 || (minutes != 0 && minutes != 30 && minutes != 45)) {
        mp_raise_ValueError(MP_ERROR_TEXT("hours are -12 to +14, minutes 00, 30 or 45"));
    }
    if ((hours == -12 || hours == 14) && minutes != 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("with -12 or +14 hours go no minutes"));
    }
    zone_hours = hours;
    zone_minutes = minutes;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(time_zone_object, 0, 1, time_zone);

static mp_obj_t time_now(size_t count, const mp_obj_t *arguments) {
    static const qstr days[] = {
        MP_QSTR_monday, MP_QSTR_tuesday, MP_QSTR_wednesday, MP_QSTR_thursday, MP_QSTR_friday, MP_QSTR_saturday, MP_QSTR_sunday,
    };
    mp_int_t now = count == 0 ? (mp_int_t)seconds_now() : mp_obj_get_int(arguments[0]);
    if (now < 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("value given must be positive"));
    }
    now += zone_hours * 3600 + (zone_hours >= 0 ? 60 : -60) * (mp_int_t)zone_minutes;
    timeutils_struct_time_t parts;
    timeutils_seconds_since_epoch_to_struct_time(now, &parts);
    const struct { qstr name; int value; } numbers[] = {
        {MP_QSTR_year, parts.tm_year}, {MP_QSTR_month, parts.tm_mon}, {MP_QSTR_day, parts.tm_mday},
        {MP_QSTR_hour, parts.tm_hour}, {MP_QSTR_minute, parts.tm_min}, {MP_QSTR_second, parts.tm_sec},
        {MP_QSTR_yearday, parts.tm_yday},
    };
    mp_obj_t dictionary = mp_obj_new_dict(0);
    for (size_t i = 0; i < MP_ARRAY_SIZE(numbers); i++) {
        mp_obj_dict_store(dictionary, MP_OBJ_NEW_QSTR(numbers[i].name), mp_obj_new_int(numbers[i].value));
    }
    mp_obj_dict_store(dictionary, MP_OBJ_NEW_QSTR(MP_QSTR_weekday), MP_OBJ_NEW_QSTR(days[parts.tm_wday]));
    mp_obj_dict_store(dictionary, MP_OBJ_NEW_QSTR(MP_QSTR_timezone), zone_text());
    return dictionary;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(time_now_object, 0, 1, time_now);

static mp_obj_t time_mktime(mp_obj_t dictionary) {
    static const qstr names[] = {MP_QSTR_year, MP_QSTR_month, MP_QSTR_day, MP_QSTR_hour, MP_QSTR_minute, MP_QSTR_second};
    if (!mp_obj_is_type(dictionary, &mp_type_dict)) {
        mp_raise_TypeError(MP_ERROR_TEXT("argument must be a dict"));
    }
    mp_int_t parts[6];
    for (int i = 0; i < 6; i++) {
        parts[i] = mp_obj_get_int(mp_obj_dict_get(dictionary, MP_OBJ_NEW_QSTR(names[i])));
    }
    return mp_obj_new_int(timeutils_mktime(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]));
}
static MP_DEFINE_CONST_FUN_OBJ_1(time_mktime_object, time_mktime);

static const mp_rom_map_elem_t time_names[] = {
    {MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_time)},
    {MP_ROM_QSTR(MP_QSTR_time), MP_ROM_PTR(&time_time_object)},
    {MP_ROM_QSTR(MP_QSTR_now), MP_ROM_PTR(&time_now_object)},
    {MP_ROM_QSTR(MP_QSTR_zone), MP_ROM_PTR(&time_zone_object)},
    {MP_ROM_QSTR(MP_QSTR_mktime), MP_ROM_PTR(&time_mktime_object)},
    {MP_ROM_QSTR(MP_QSTR_sleep), MP_ROM_PTR(&time_sleep_object)},
    {MP_ROM_QSTR(MP_QSTR_sleep_ms), MP_ROM_PTR(&time_sleep_ms_object)},
    {MP_ROM_QSTR(MP_QSTR_sleep_us), MP_ROM_PTR(&time_sleep_us_object)},
    {MP_ROM_QSTR(MP_QSTR_ticks_ms), MP_ROM_PTR(&time_ticks_ms_object)},
    {MP_ROM_QSTR(MP_QSTR_ticks_us), MP_ROM_PTR(&time_ticks_zero_object)},
    {MP_ROM_QSTR(MP_QSTR_ticks_cpu), MP_ROM_PTR(&time_ticks_zero_object)},
    {MP_ROM_QSTR(MP_QSTR_ticks_add), MP_ROM_PTR(&time_ticks_add_object)},
    {MP_ROM_QSTR(MP_QSTR_ticks_diff), MP_ROM_PTR(&time_ticks_diff_object)},
};
static MP_DEFINE_CONST_DICT(time_globals, time_names);
const mp_obj_module_t unit_time = {.base = {&mp_type_module}, .globals = (mp_obj_dict_t *)&time_globals};
MP_REGISTER_EXTENSIBLE_MODULE(MP_QSTR_time, unit_time);

// --- random: the same sequence after each start, as on the device, though not the device's sequence.

static uint32_t random_state;

static uint32_t random_bits(void) {
    random_state = random_state * 1664525 + 1013904223;
    uint32_t word = random_state;
    word ^= word >> 16;
    word *= 0x7feb352d;
    return word ^ word >> 15;
}

static mp_obj_t random_init(void) {
    random_state = 0;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_0(random_init_object, random_init);

static mp_obj_t random_seed(size_t count, const mp_obj_t *arguments) {
    random_state = count == 0 || arguments[0] == mp_const_none ? 0 : (uint32_t)mp_obj_get_int_truncated(arguments[0]);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(random_seed_object, 0, 1, random_seed);

static mp_obj_t random_getrandbits(mp_obj_t argument) {
    mp_int_t count = mp_obj_get_int(argument);
    if (count < 0 || count > 32) {
        mp_raise_ValueError(MP_ERROR_TEXT("bits must be 32 or less"));
    }
    return mp_obj_new_int_from_uint(count == 0 ? 0 : random_bits() >> (32 - count));
}
static MP_DEFINE_CONST_FUN_OBJ_1(random_getrandbits_object, random_getrandbits);

static mp_int_t below(mp_int_t limit) {
    if (limit <= 0) {
        mp_raise_ValueError(NULL);
    }
    return (mp_int_t)((uint64_t)random_bits() * (uint32_t)limit >> 32);
}

static mp_obj_t random_randrange(size_t count, const mp_obj_t *arguments) {
    mp_int_t start = count == 1 ? 0 : mp_obj_get_int(arguments[0]);
    mp_int_t stop = mp_obj_get_int(arguments[count == 1 ? 0 : 1]), step = count == 3 ? mp_obj_get_int(arguments[2]) : 1;
    if (step == 0) {
        mp_raise_ValueError(NULL);
    }
    int64_t range = (int64_t)stop - start, steps = (range + step + (step > 0 ? -1 : 1)) / step;
    return mp_obj_new_int_from_ll(start + (int64_t)step * below(steps > INT32_MAX ? INT32_MAX : (mp_int_t)steps));
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(random_randrange_object, 1, 3, random_randrange);

static mp_obj_t random_randint(mp_obj_t first, mp_obj_t last) {
    mp_int_t start = mp_obj_get_int(first);
    int64_t range = (int64_t)mp_obj_get_int(last) - start + 1;
    return mp_obj_new_int_from_ll((int64_t)start + below(range > INT32_MAX ? INT32_MAX : range < 0 ? 0 : (mp_int_t)range));
}
static MP_DEFINE_CONST_FUN_OBJ_2(random_randint_object, random_randint);

static mp_obj_t random_choice(mp_obj_t sequence) {
    mp_int_t length = mp_obj_get_int(mp_obj_len(sequence));
    if (length == 0) {
        mp_raise_type(&mp_type_IndexError);
    }
    return mp_obj_subscr(sequence, mp_obj_new_int(below(length)), MP_OBJ_SENTINEL);
}
static MP_DEFINE_CONST_FUN_OBJ_1(random_choice_object, random_choice);

static mp_obj_t random_random(void) { return mp_obj_new_float((float)(random_bits() >> 8) / 16777216.0f); }
static MP_DEFINE_CONST_FUN_OBJ_0(random_random_object, random_random);

static mp_obj_t random_uniform(mp_obj_t first, mp_obj_t last) {
    float start = mp_obj_get_float(first);
    return mp_obj_new_float(start + (mp_obj_get_float(last) - start) * ((float)(random_bits() >> 8) / 16777216.0f));
}
static MP_DEFINE_CONST_FUN_OBJ_2(random_uniform_object, random_uniform);

static const mp_rom_map_elem_t random_names[] = {
    {MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_random)},
    {MP_ROM_QSTR(MP_QSTR___init__), MP_ROM_PTR(&random_init_object)},
    {MP_ROM_QSTR(MP_QSTR_seed), MP_ROM_PTR(&random_seed_object)},
    {MP_ROM_QSTR(MP_QSTR_getrandbits), MP_ROM_PTR(&random_getrandbits_object)},
    {MP_ROM_QSTR(MP_QSTR_randrange), MP_ROM_PTR(&random_randrange_object)},
    {MP_ROM_QSTR(MP_QSTR_randint), MP_ROM_PTR(&random_randint_object)},
    {MP_ROM_QSTR(MP_QSTR_choice), MP_ROM_PTR(&random_choice_object)},
    {MP_ROM_QSTR(MP_QSTR_random), MP_ROM_PTR(&random_random_object)},
    {MP_ROM_QSTR(MP_QSTR_uniform), MP_ROM_PTR(&random_uniform_object)},
};
static MP_DEFINE_CONST_DICT(random_globals, random_names);
const mp_obj_module_t unit_random = {.base = {&mp_type_module}, .globals = (mp_obj_dict_t *)&random_globals};
MP_REGISTER_EXTENSIBLE_MODULE(MP_QSTR_random, unit_random);
