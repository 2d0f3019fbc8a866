// The modules of LED, microphone, camera and display, with the firmware's names, arguments and errors (modules/*.c).
#include <stdio.h>
#include <string.h>

#include "py/mphal.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "unit.h"

// --- led

static mp_obj_t set_led(mp_obj_t name, uint8_t is_on) {
    qstr color = mp_obj_str_get_qstr(name);
    if (color != MP_QSTR_RED && color != MP_QSTR_GREEN) {
        mp_raise_ValueError(MP_ERROR_TEXT("must be led.RED or led.GREEN"));
    }
    mp_hal_delay_ms(10);
    uint8_t question[2] = {color == MP_QSTR_GREEN, is_on};
    unit_request(UNIT_LED, question, 2, false, NULL, 0);
    return mp_const_none;
}
static mp_obj_t led_on(mp_obj_t name) { return set_led(name, 1); }
static MP_DEFINE_CONST_FUN_OBJ_1(led_on_object, led_on);
static mp_obj_t led_off(mp_obj_t name) { return set_led(name, 0); }
static MP_DEFINE_CONST_FUN_OBJ_1(led_off_object, led_off);

static const mp_rom_map_elem_t led_names[] = {
    {MP_ROM_QSTR(MP_QSTR_on), MP_ROM_PTR(&led_on_object)},
    {MP_ROM_QSTR(MP_QSTR_off), MP_ROM_PTR(&led_off_object)},
    {MP_ROM_QSTR(MP_QSTR_RED), MP_ROM_QSTR(MP_QSTR_RED)},
    {MP_ROM_QSTR(MP_QSTR_GREEN), MP_ROM_QSTR(MP_QSTR_GREEN)},
};
MODULE(unit_led, MP_QSTR_led, led_names)

// --- microphone

static mp_obj_t microphone_init(void) {
    uint8_t bytes[4] = {0}, question[3] = {1, 0, 4};
    unit_request(UNIT_FPGA_READ, question, 3, false, bytes, 4);
    if (memcmp(bytes, "Mncl", 4) != 0) {
        mp_raise_NotImplementedError(MP_ERROR_TEXT("microphone driver not found on FPGA"));
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_0(microphone_init_object, microphone_init);

static mp_obj_t microphone_record(size_t count, const mp_obj_t *positional, mp_map_t *named) {
    static const mp_arg_t allowed[] = {
        {MP_QSTR_sample_rate, MP_ARG_KW_ONLY | MP_ARG_INT, {.u_int = 16000}},
        {MP_QSTR_bit_depth, MP_ARG_KW_ONLY | MP_ARG_INT, {.u_int = 16}},
        {MP_QSTR_seconds, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_INT(5)}},
    };
    mp_arg_val_t values[3];
    mp_arg_parse_all(count, positional, named, 3, allowed, values);
    mp_int_t rate = values[0].u_int, depth = values[1].u_int;
    if (rate != 16000 && rate != 8000) {
        mp_raise_ValueError(MP_ERROR_TEXT("sample rate must be either 16000 or 8000"));
    }
    if (depth != 16 && depth != 8) {
        mp_raise_ValueError(MP_ERROR_TEXT("bit depth must be either 16 or 8"));
    }
    uint32_t milliseconds = unit_milliseconds(mp_obj_get_float(values[2].u_obj));
    uint8_t question[7] = {
        milliseconds, milliseconds >> 8, milliseconds >> 16, milliseconds >> 24, depth, rate, rate >> 8,
    };
    unit_request(UNIT_RECORD, question, 7, false, NULL, 0);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_KW(microphone_record_object, 0, microphone_record);

static mp_obj_t microphone_read(mp_obj_t samples_in) {
    mp_int_t samples = mp_obj_get_int(samples_in);
    if (samples > 127) {
        mp_raise_ValueError(MP_ERROR_TEXT("only 127 samples may be read at a time"));
    }
    uint8_t count = samples < 0 ? 0 : samples, bytes[254];
    size_t length = unit_request(UNIT_MICROPHONE, &count, 1, false, bytes, sizeof(bytes));
    return length == 0 ? mp_const_none : mp_obj_new_bytes(bytes, length);
}
static MP_DEFINE_CONST_FUN_OBJ_1(microphone_read_object, microphone_read);

static mp_obj_t microphone_stop(void) { return mp_const_notimplemented; }
static MP_DEFINE_CONST_FUN_OBJ_0(microphone_stop_object, microphone_stop);

static const mp_rom_map_elem_t microphone_names[] = {
    {MP_ROM_QSTR(MP_QSTR___init__), MP_ROM_PTR(&microphone_init_object)},
    {MP_ROM_QSTR(MP_QSTR_record), MP_ROM_PTR(&microphone_record_object)},
    {MP_ROM_QSTR(MP_QSTR_stop), MP_ROM_PTR(&microphone_stop_object)},
    {MP_ROM_QSTR(MP_QSTR_read), MP_ROM_PTR(&microphone_read_object)},
};
MODULE(unit_microphone, MP_QSTR_microphone, microphone_names)

// --- _camera: its sleep pin; the picture comes through the FPGA

static mp_obj_t camera_wake(void) {
    unit_request(UNIT_WAKE_CAMERA, "", 0, false, NULL, 0);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_0(camera_wake_object, camera_wake);

static mp_obj_t camera_sleep(void) {
    unit_request(UNIT_SLEEP_CAMERA, "", 0, false, NULL, 0);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_0(camera_sleep_object, camera_sleep);

static const mp_rom_map_elem_t camera_names[] = {
    {MP_ROM_QSTR(MP_QSTR_sleep), MP_ROM_PTR(&camera_sleep_object)},
    {MP_ROM_QSTR(MP_QSTR_wake), MP_ROM_PTR(&camera_wake_object)},
};
MODULE(unit_camera, MP_QSTR__camera, camera_names)

// --- _display: brightness, and shapes, which the device draws through its vector library

static mp_obj_t display_brightness(mp_obj_t level) {
    if (mp_obj_get_int(level) >= 5) {
        mp_raise_ValueError(MP_ERROR_TEXT("brightness must be between 0 and 4"));
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(display_brightness_object, display_brightness);

static mp_obj_t display_draw(mp_obj_t text) {
    size_t length;
    const char *bytes = mp_obj_str_get_data(text, &length);
    unit_request(UNIT_DRAW, bytes, length < 1024 ? length : 1024, false, NULL, 0);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(display_draw_object, display_draw);

static const mp_rom_map_elem_t display_names[] = {
    {MP_ROM_QSTR(MP_QSTR_brightness), MP_ROM_PTR(&display_brightness_object)},
    {MP_ROM_QSTR(MP_QSTR__draw), MP_ROM_PTR(&display_draw_object)},
};
MODULE(unit_display, MP_QSTR__display, display_names)
