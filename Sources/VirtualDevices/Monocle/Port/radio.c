// What comes from outside while Python runs: packets on the data service, and touches; and the modules bluetooth and touch.
#include "py/gc.h"
#include "py/runtime.h"
#include "unit.h"

// --- Callbacks: C variables, which the collector does not see, and which outlive a soft reset

typedef struct {
    mp_obj_t function;
    unsigned start;
    // The collector has freed it on the device. Here its place is kept, so that nothing else is taken for it.
    bool is_freed;
} callback_t;

static callback_t receive_callback;
enum { PAD_A = 1, PAD_B = 2, PAD_BOTH = 3, PAD_EITHER = 4 };
static callback_t pads[5];

static bool is_in_heap(const void *pointer) {
    return (const byte *)pointer >= MP_STATE_MEM(area).gc_pool_start && (const byte *)pointer < MP_STATE_MEM(area).gc_pool_end;
}

// Two bits a block of 16 bytes; 3 is a marked head (py/gc.c).
static bool is_marked(const void *pointer) {
    size_t block = ((const byte *)pointer - MP_STATE_MEM(area).gc_pool_start) / MICROPY_BYTES_PER_GC_BLOCK;
    return (MP_STATE_MEM(area).gc_alloc_table_start[block / 4] >> (2 * (block % 4)) & 3) == 3;
}

static void look_at(callback_t *callback) {
    void *pointer = MP_OBJ_TO_PTR(callback->function);
    if (callback->start != unit_start_count || !mp_obj_is_obj(callback->function) || !is_in_heap(pointer)) {
        return;
    }
    if (!is_marked(pointer)) {
        callback->is_freed = true;
    }
    gc_collect_root(&pointer, 1);
}

void unit_collect_callbacks(void) {
    look_at(&receive_callback);
    for (int pad = PAD_A; pad <= PAD_EITHER; pad++) {
        look_at(&pads[pad]);
    }
}

// Where a freed function was, or one of before a soft reset, anything may lie: the chip runs into it.
static mp_obj_t function_of(const callback_t *callback) {
    if (!callback->function || callback->function == mp_const_none) {
        return mp_const_none;
    }
    if (callback->is_freed || callback->start != unit_start_count) {
        unit_reset(UNIT_RESET_CRASHED);
    }
    return callback->function;
}

static bool is_set(const callback_t *callback) { return callback->function && callback->function != mp_const_none; }

static void schedule(const callback_t *callback, mp_obj_t argument) { mp_sched_schedule(function_of(callback), argument); }

static void set_callback(callback_t *callback, mp_obj_t function) {
    if (!mp_obj_is_callable(function) && function != mp_const_none) {
        mp_raise_ValueError(MP_ERROR_TEXT("callback must be None or a callable object"));
    }
    *callback = (callback_t) {function, unit_start_count, false};
}

// --- bluetooth

void unit_data_received(const uint8_t *bytes, size_t length) {
    if (is_set(&receive_callback)) {
        mp_obj_t copy = mp_obj_new_bytes(bytes, length);
        schedule(&receive_callback, copy);
    }
}

static mp_obj_t bluetooth_send(mp_obj_t data) {
    if (!unit_is_subscribed(true)) {
        mp_raise_msg(&mp_type_OSError, MP_ERROR_TEXT("notifications are not enabled on the data service"));
    }
    mp_buffer_info_t buffer;
    mp_get_buffer_raise(data, &buffer, MP_BUFFER_READ);
    if (buffer.len > unit_payload()) {
        mp_raise_ValueError(MP_ERROR_TEXT("input buffer is too large"));
    }
    if (!unit_notify_data(buffer.buf, buffer.len)) {
        mp_raise_msg(&mp_type_OSError, MP_ERROR_TEXT("raw data service is busy"));
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(bluetooth_send_object, bluetooth_send);

static mp_obj_t bluetooth_receive_callback(size_t count, const mp_obj_t *arguments) {
    if (count == 0) {
        return function_of(&receive_callback);
    }
    set_callback(&receive_callback, arguments[0]);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(bluetooth_receive_callback_object, 0, 1, bluetooth_receive_callback);

static mp_obj_t bluetooth_connected(void) { return mp_obj_new_bool(unit_is_subscribed(true)); }
static MP_DEFINE_CONST_FUN_OBJ_0(bluetooth_connected_object, bluetooth_connected);

static mp_obj_t bluetooth_max_length(void) { return mp_obj_new_int(unit_payload()); }
static MP_DEFINE_CONST_FUN_OBJ_0(bluetooth_max_length_object, bluetooth_max_length);

static const mp_rom_map_elem_t bluetooth_names[] = {
    {MP_ROM_QSTR(MP_QSTR_send), MP_ROM_PTR(&bluetooth_send_object)},
    {MP_ROM_QSTR(MP_QSTR_receive_callback), MP_ROM_PTR(&bluetooth_receive_callback_object)},
    {MP_ROM_QSTR(MP_QSTR_connected), MP_ROM_PTR(&bluetooth_connected_object)},
    {MP_ROM_QSTR(MP_QSTR_max_length), MP_ROM_PTR(&bluetooth_max_length_object)},
};
MODULE(unit_bluetooth, MP_QSTR_bluetooth, bluetooth_names)

// --- touch

static int pad_of(mp_obj_t name) {
    static const qstr names[] = {0, MP_QSTR_A, MP_QSTR_B, MP_QSTR_BOTH, MP_QSTR_EITHER};
    qstr given = mp_obj_str_get_qstr(name);
    for (int pad = PAD_A; pad <= PAD_EITHER; pad++) {
        if (names[pad] == given) {
            return pad;
        }
    }
    mp_raise_ValueError(MP_ERROR_TEXT("must be touch.A, touch.B, touch.BOTH, touch.EITHER"));
}

void unit_touched(uint8_t pad) {
    static const qstr names[] = {0, MP_QSTR_A, MP_QSTR_B, MP_QSTR_BOTH};
    if (pad < PAD_A || pad > PAD_BOTH) {
        return;
    }
    // EITHER's function takes A's and B's place; both pads together have one of their own.
    const callback_t *callback = pad != PAD_BOTH && is_set(&pads[PAD_EITHER]) ? &pads[PAD_EITHER] : &pads[pad];
    if (is_set(callback)) {
        schedule(callback, MP_OBJ_NEW_QSTR(names[pad]));
    }
}

static mp_obj_t touch_state(size_t count, const mp_obj_t *arguments) {
    uint8_t pad = 0;
    unit_request(UNIT_TOUCH, "", 0, false, &pad, 1);
    if (count == 0) {
        return pad == 0 ? mp_const_none
            : MP_OBJ_NEW_QSTR(pad == PAD_A ? MP_QSTR_A : pad == PAD_B ? MP_QSTR_B : MP_QSTR_BOTH);
    }
    int wanted = pad_of(arguments[0]);
    return mp_obj_new_bool(wanted == PAD_EITHER ? pad == PAD_A || pad == PAD_B : pad == wanted);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(touch_state_object, 0, 1, touch_state);

static mp_obj_t touch_callback(size_t count, const mp_obj_t *arguments) {
    callback_t *callback = &pads[pad_of(arguments[0])];
    if (count == 1) {
        return function_of(callback);
    }
    set_callback(callback, arguments[1]);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(touch_callback_object, 1, 2, touch_callback);

static const mp_rom_map_elem_t touch_names[] = {
    {MP_ROM_QSTR(MP_QSTR_state), MP_ROM_PTR(&touch_state_object)},
    {MP_ROM_QSTR(MP_QSTR_callback), MP_ROM_PTR(&touch_callback_object)},
    {MP_ROM_QSTR(MP_QSTR_A), MP_ROM_QSTR(MP_QSTR_A)},
    {MP_ROM_QSTR(MP_QSTR_B), MP_ROM_QSTR(MP_QSTR_B)},
    {MP_ROM_QSTR(MP_QSTR_BOTH), MP_ROM_QSTR(MP_QSTR_BOTH)},
    {MP_ROM_QSTR(MP_QSTR_EITHER), MP_ROM_QSTR(MP_QSTR_EITHER)},
};
MODULE(unit_touch, MP_QSTR_touch, touch_names)
