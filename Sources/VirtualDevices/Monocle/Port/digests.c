// binascii and hashlib with what the firmware's have: base64, and SHA-256 whose digest can be taken once.
#include <string.h>

#include "py/runtime.h"
#include "unit.h"

// --- binascii

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static mp_obj_t from_base64(mp_obj_t argument) {
    mp_buffer_info_t text;
    mp_get_buffer_raise(argument, &text, MP_BUFFER_READ);
    vstr_t bytes;
    vstr_init(&bytes, text.len / 4 * 3 + 1);
    uint32_t bits = 0;
    int count = 0, padding = 0;
    for (size_t i = 0; i < text.len; i++) {
        char letter = ((const char *)text.buf)[i];
        const char *place = letter ? memchr(letters, letter, 64) : NULL;
        if (letter == '=') {
            if ((count == 2 && padding == 1) || count == 3) {
                // The group is complete.
                count = padding = 0;
            } else if (count == 2) {
                padding++;
            }
        } else if (place) {
            bits = bits << 6 | (uint32_t)(place - letters);
            count++;
            if (count == 2) {
                vstr_add_byte(&bytes, bits >> 4);
            } else if (count == 3) {
                vstr_add_byte(&bytes, bits >> 2);
            } else if (count == 4) {
                vstr_add_byte(&bytes, bits);
                count = 0;
            }
        }
    }
    if (count != 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("incorrect padding"));
    }
    return mp_obj_new_bytes_from_vstr(&bytes);
}
static MP_DEFINE_CONST_FUN_OBJ_1(from_base64_object, from_base64);

static mp_obj_t to_base64(size_t count, const mp_obj_t *positional, mp_map_t *named) {
    static const mp_arg_t allowed[] = {{MP_QSTR_newline, MP_ARG_BOOL, {.u_bool = true}}};
    mp_arg_val_t values[1];
    mp_arg_parse_all(count - 1, positional + 1, named, 1, allowed, values);
    mp_buffer_info_t data;
    mp_get_buffer_raise(positional[0], &data, MP_BUFFER_READ);
    const uint8_t *bytes = data.buf;
    vstr_t text;
    vstr_init(&text, (data.len + 2) / 3 * 4 + 1);
    for (size_t i = 0; i < data.len; i += 3) {
        size_t rest = data.len - i;
        uint32_t group = bytes[i] << 16 | (rest > 1 ? bytes[i + 1] << 8 : 0) | (rest > 2 ? bytes[i + 2] : 0);
        for (size_t k = 0; k < 4; k++) {
            vstr_add_byte(&text, k > rest ? '=' : letters[group >> (18 - 6 * k) & 63]);
        }
    }
    if (values[0].u_bool) {
        vstr_add_byte(&text, '\n');
    }
    return mp_obj_new_bytes_from_vstr(&text);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(to_base64_object, 1, to_base64);

static const mp_rom_map_elem_t binascii_names[] = {
    {MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_binascii)},
    {MP_ROM_QSTR(MP_QSTR_a2b_base64), MP_ROM_PTR(&from_base64_object)},
    {MP_ROM_QSTR(MP_QSTR_b2a_base64), MP_ROM_PTR(&to_base64_object)},
};
static MP_DEFINE_CONST_DICT(binascii_globals, binascii_names);
const mp_obj_module_t unit_binascii = {.base = {&mp_type_module}, .globals = (mp_obj_dict_t *)&binascii_globals};
MP_REGISTER_EXTENSIBLE_MODULE(MP_QSTR_binascii, unit_binascii);

// --- hashlib

typedef struct {
    mp_obj_base_t base;
    bool is_final;
    uint64_t length;
    uint32_t state[8];
    uint8_t block[64];
} sha256_t;

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t word, int count) { return word >> count | word << (32 - count); }

static void compress(uint32_t *state, const uint8_t *block) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++) {
        w[i] = (uint32_t)block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    uint32_t v[8];
    memcpy(v, state, sizeof(v));
    for (int i = 0; i < 64; i++) {
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]), majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t first = v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) + choice + round_constants[i] + w[i];
        uint32_t second = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) + majority;
        memmove(v + 1, v, 7 * sizeof(v[0]));
        v[4] += first;
        v[0] = first + second;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

static void absorb(sha256_t *self, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        self->block[self->length++ % 64] = bytes[i];
        if (self->length % 64 == 0) {
            compress(self->state, self->block);
        }
    }
    // About 80 cycles a byte at 64 MHz.
    unit_charge(length + length / 4);
}

static mp_obj_t sha256_update(mp_obj_t self_in, mp_obj_t argument) {
    sha256_t *self = MP_OBJ_TO_PTR(self_in);
    if (self->is_final) {
        mp_raise_ValueError(MP_ERROR_TEXT("hash is final"));
    }
    mp_buffer_info_t data;
    mp_get_buffer_raise(argument, &data, MP_BUFFER_READ);
    absorb(self, data.buf, data.len);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(sha256_update_object, sha256_update);

static mp_obj_t sha256_digest(mp_obj_t self_in) {
    sha256_t *self = MP_OBJ_TO_PTR(self_in);
    if (self->is_final) {
        mp_raise_ValueError(MP_ERROR_TEXT("hash is final"));
    }
    self->is_final = true;
    uint64_t bits = self->length * 8;
    absorb(self, (const uint8_t *)"\x80", 1);
    while (self->length % 64 != 56) {
        absorb(self, (const uint8_t *)"", 1);
    }
    uint8_t bytes[32];
    for (int i = 0; i < 8; i++) {
        bytes[i] = bits >> (56 - 8 * i);
    }
    absorb(self, bytes, 8);
    for (int i = 0; i < 32; i++) {
        bytes[i] = self->state[i / 4] >> (24 - i % 4 * 8);
    }
    return mp_obj_new_bytes(bytes, 32);
}
static MP_DEFINE_CONST_FUN_OBJ_1(sha256_digest_object, sha256_digest);

static mp_obj_t sha256_make(const mp_obj_type_t *type, size_t count, size_t named, const mp_obj_t *arguments) {
    mp_arg_check_num(count, named, 0, 1, false);
    static const uint32_t initial[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    sha256_t *self = mp_obj_malloc(sha256_t, type);
    self->is_final = false;
    self->length = 0;
    memcpy(self->state, initial, sizeof(initial));
    if (count == 1) {
        sha256_update(MP_OBJ_FROM_PTR(self), arguments[0]);
    }
    return MP_OBJ_FROM_PTR(self);
}

static const mp_rom_map_elem_t sha256_names[] = {
    {MP_ROM_QSTR(MP_QSTR_update), MP_ROM_PTR(&sha256_update_object)},
    {MP_ROM_QSTR(MP_QSTR_digest), MP_ROM_PTR(&sha256_digest_object)},
};
static MP_DEFINE_CONST_DICT(sha256_locals, sha256_names);
static MP_DEFINE_CONST_OBJ_TYPE(
    sha256_type, MP_QSTR_sha256, MP_TYPE_FLAG_NONE, make_new, sha256_make, locals_dict, &sha256_locals);

static const mp_rom_map_elem_t hashlib_names[] = {
    {MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_hashlib)},
    {MP_ROM_QSTR(MP_QSTR_sha256), MP_ROM_PTR(&sha256_type)},
};
static MP_DEFINE_CONST_DICT(hashlib_globals, hashlib_names);
const mp_obj_module_t unit_hashlib = {.base = {&mp_type_module}, .globals = (mp_obj_dict_t *)&hashlib_globals};
MP_REGISTER_EXTENSIBLE_MODULE(MP_QSTR_hashlib, unit_hashlib);
