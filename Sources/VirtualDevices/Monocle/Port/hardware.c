// The modules that reach the unit's hardware, with the firmware's names, arguments and errors (modules/*.c).
#include <stdio.h>
#include <string.h>

#include "py/gc.h"
#include "py/mphal.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "unit.h"

#define FPGA_LIMIT (0x6C80E + 4)
#define FPGA_SECTORS 109

// --- device

static mp_obj_t describe(char what) {
    char text[64];
    size_t length = unit_request(UNIT_DEVICE, &what, 1, false, text, sizeof(text));
    return mp_obj_new_str(text, length);
}

static mp_obj_t device_mac_address(void) { return describe('a'); }
static MP_DEFINE_CONST_FUN_OBJ_0(device_mac_address_object, device_mac_address);

static mp_obj_t device_battery_level(void) {
    uint8_t percent = 0;
    unit_request(UNIT_DEVICE, "b", 1, false, &percent, 1);
    return MP_OBJ_NEW_SMALL_INT(percent);
}
static MP_DEFINE_CONST_FUN_OBJ_0(device_battery_level_object, device_battery_level);

static mp_obj_t device_is_charging(void) {
    uint8_t is_charging = 0;
    unit_request(UNIT_DEVICE, "c", 1, false, &is_charging, 1);
    return mp_obj_new_bool(is_charging);
}
static MP_DEFINE_CONST_FUN_OBJ_0(device_is_charging_object, device_is_charging);

static mp_obj_t device_reset_cause(void) { return describe('r'); }
static MP_DEFINE_CONST_FUN_OBJ_0(device_reset_cause_object, device_reset_cause);

// A second before, a dot, a second, a dot, a second; ^C cancels. Nothing happens unless REPL notifications are on.
static bool countdown(const char *text) {
    if (!unit_is_subscribed(false)) {
        return false;
    }
    mp_print_str(&mp_plat_print, text);
    mp_hal_delay_ms(1000);
    for (int i = 0; i < 2; i++) {
        mp_print_str(&mp_plat_print, ".");
        mp_hal_delay_ms(1000);
    }
    return true;
}

static mp_obj_t device_reset(void) {
    if (countdown("Resetting")) {
        unit_reset(UNIT_RESET_SOFTWARE);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_0(device_reset_object, device_reset);

static mp_obj_t device_force_sleep(void) {
    if (countdown("Going to sleep")) {
        uint8_t sleeps = 2;
        unit_request(UNIT_POWER, &sleeps, 1, false, NULL, 0);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_0(device_force_sleep_object, device_force_sleep);

static mp_obj_t device_prevent_sleep(size_t count, const mp_obj_t *arguments) {
    static bool is_prevented;
    if (count == 0) {
        return mp_obj_new_bool(is_prevented);
    }
    is_prevented = mp_obj_is_true(arguments[0]);
    uint8_t state = is_prevented;
    unit_request(UNIT_POWER, &state, 1, false, NULL, 0);
    if (is_prevented) {
        mp_print_str(&mp_plat_print, "WARNING: a long time without sleep wears the display and other components.\n");
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(device_prevent_sleep_object, 0, 1, device_prevent_sleep);

void device_attribute(mp_obj_t self, qstr attribute, mp_obj_t *destination);
void device_attribute(mp_obj_t self, qstr attribute, mp_obj_t *destination) {
    (void)self;
    if (attribute == MP_QSTR_VERSION && destination[0] == MP_OBJ_NULL) {
        destination[0] = describe('v');
    }
}

extern const mp_obj_type_t unit_storage_type;

static const mp_rom_map_elem_t device_names[] = {
    {MP_ROM_QSTR(MP_QSTR_NAME), MP_ROM_QSTR(MP_QSTR_monocle)},
    {MP_ROM_QSTR(MP_QSTR_mac_address), MP_ROM_PTR(&device_mac_address_object)},
    {MP_ROM_QSTR(MP_QSTR_GIT_TAG), MP_ROM_QSTR(MP_QSTR_a18d62e06)},
    {MP_ROM_QSTR(MP_QSTR_GIT_REPO), MP_ROM_QSTR(MP_QSTR_virtual)},
    {MP_ROM_QSTR(MP_QSTR_battery_level), MP_ROM_PTR(&device_battery_level_object)},
    {MP_ROM_QSTR(MP_QSTR_reset), MP_ROM_PTR(&device_reset_object)},
    {MP_ROM_QSTR(MP_QSTR_reset_cause), MP_ROM_PTR(&device_reset_cause_object)},
    {MP_ROM_QSTR(MP_QSTR_prevent_sleep), MP_ROM_PTR(&device_prevent_sleep_object)},
    {MP_ROM_QSTR(MP_QSTR_force_sleep), MP_ROM_PTR(&device_force_sleep_object)},
    {MP_ROM_QSTR(MP_QSTR_is_charging), MP_ROM_PTR(&device_is_charging_object)},
    {MP_ROM_QSTR(MP_QSTR_Storage), MP_ROM_PTR(&unit_storage_type)},
};
MODULE(unit_device, MP_QSTR_device, device_names)
MP_REGISTER_MODULE_DELEGATION(unit_device, device_attribute);

// --- _update

static mp_obj_t update_nrf52(void) { unit_reset(UNIT_RESET_BOOTLOADER); }
static MP_DEFINE_CONST_FUN_OBJ_0(update_nrf52_object, update_nrf52);

static mp_obj_t update_connected(void) { return mp_obj_new_bool(unit_is_subscribed(false)); }
static MP_DEFINE_CONST_FUN_OBJ_0(update_connected_object, update_connected);

// In RAM until the chip's reset: neither a lost link nor a soft reset clears it.
static size_t programmed;

static mp_obj_t update_read(mp_obj_t address_in, mp_obj_t length_in) {
    mp_int_t address = mp_obj_get_int(address_in), length = mp_obj_get_int(length_in);
    if (address + length > FPGA_LIMIT) {
        mp_raise_ValueError(MP_ERROR_TEXT("address + length cannot exceed 444434 bytes"));
    }
    // The buffer is on the stack, and nothing checks that it fits.
    if (length < 0 || length > 6000) {
        unit_reset(UNIT_RESET_CRASHED);
    }
    uint8_t bytes[length + 1];
    uint8_t question[6] = {address, address >> 8, address >> 16, 0, length, length >> 8};
    memset(bytes, 0xFF, length);
    unit_request(UNIT_READ, question, 6, false, bytes, length);
    return mp_obj_new_bytes(bytes, length);
}
static MP_DEFINE_CONST_FUN_OBJ_2(update_read_object, update_read);

static mp_obj_t update_write(mp_obj_t data) {
    size_t length;
    const uint8_t *bytes = (const uint8_t *)mp_obj_str_get_data(data, &length);
    if (programmed + length > FPGA_LIMIT) {
        mp_raise_ValueError(MP_ERROR_TEXT("data will overflow the space reserved for the app"));
    }
    // Taken once: a callback that writes meanwhile writes to the same place.
    size_t start = programmed;
    for (size_t done = 0; done < length;) {
        size_t address = start + done, count = 256 - address % 256;
        count = count < length - done ? count : length - done;
        // A transfer carries 255 bytes at most, so a whole page takes two programs.
        count = count < 255 ? count : 255;
        // The firmware copies the whole argument for each program, by a loop over its bytes.
        void *copy = m_malloc(length);
        unit_charge(length / 9);
        uint8_t question[4 + 256] = {address, address >> 8, address >> 16, 0};
        memcpy(question + 4, bytes + done, count);
        unit_request(UNIT_PROGRAM, question, 4 + count, true, NULL, 0);
        m_free(copy);
        done += count;
    }
    programmed += length;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(update_write_object, update_write);

static mp_obj_t update_erase(void) {
    for (uint8_t sector = 0; sector < FPGA_SECTORS; sector++) {
        unit_request(UNIT_ERASE, &sector, 1, true, NULL, 0);
    }
    programmed = 0;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_0(update_erase_object, update_erase);

static const mp_rom_map_elem_t update_names[] = {
    {MP_ROM_QSTR(MP_QSTR_nrf52), MP_ROM_PTR(&update_nrf52_object)},
    {MP_ROM_QSTR(MP_QSTR_connected), MP_ROM_PTR(&update_connected_object)},
    {MP_ROM_QSTR(MP_QSTR_read_fpga_app), MP_ROM_PTR(&update_read_object)},
    {MP_ROM_QSTR(MP_QSTR_write_fpga_app), MP_ROM_PTR(&update_write_object)},
    {MP_ROM_QSTR(MP_QSTR_erase_fpga_app), MP_ROM_PTR(&update_erase_object)},
};
MODULE(unit_update, MP_QSTR__update, update_names)

// --- fpga

static mp_obj_t fpga_read(mp_obj_t address_in, mp_obj_t count_in) {
    mp_int_t count = mp_obj_get_int(count_in), address = mp_obj_get_int(address_in);
    if (count < 1 || count > 255) {
        mp_raise_ValueError(MP_ERROR_TEXT("n must be between 1 and 255"));
    }
    uint8_t bytes[255] = {0}, question[3] = {address, address >> 8, count};
    unit_request(UNIT_FPGA_READ, question, 3, false, bytes, count);
    return mp_obj_new_bytes(bytes, count);
}
static MP_DEFINE_CONST_FUN_OBJ_2(fpga_read_object, fpga_read);

static mp_obj_t fpga_write(mp_obj_t address_in, mp_obj_t data) {
    mp_buffer_info_t buffer;
    mp_get_buffer_raise(data, &buffer, MP_BUFFER_READ);
    if (buffer.len > 255) {
        mp_raise_ValueError(MP_ERROR_TEXT("input buffer size must be less than 255 bytes"));
    }
    mp_int_t address = mp_obj_get_int(address_in);
    uint8_t question[2 + 255] = {address, address >> 8};
    memcpy(question + 2, buffer.buf, buffer.len);
    unit_request(UNIT_FPGA_WRITE, question, 2 + buffer.len, false, NULL, 0);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(fpga_write_object, fpga_write);

static mp_obj_t fpga_run(size_t count, const mp_obj_t *arguments) {
    uint8_t state = count == 0 ? 2 : mp_obj_is_true(arguments[0]), is_running = 0;
    unit_request(UNIT_FPGA_RUN, &state, 1, false, &is_running, 1);
    return count == 0 ? mp_obj_new_bool(is_running) : mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(fpga_run_object, 0, 1, fpga_run);

static const mp_rom_map_elem_t fpga_names[] = {
    {MP_ROM_QSTR(MP_QSTR_read), MP_ROM_PTR(&fpga_read_object)},
    {MP_ROM_QSTR(MP_QSTR_write), MP_ROM_PTR(&fpga_write_object)},
    {MP_ROM_QSTR(MP_QSTR_run), MP_ROM_PTR(&fpga_run_object)},
};
MODULE(unit_fpga, MP_QSTR_fpga, fpga_names)
