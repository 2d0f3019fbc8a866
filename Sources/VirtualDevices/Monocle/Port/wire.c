// The wire to the model, and the passing of time.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "py/gc.h"
#include "py/runtime.h"
#include "unit.h"
#include "wire.h"

#define WIRE 3
#define PACKET 65536
#define OPEN_REQUESTS 16
#define TURN_SECONDS 10

// In nanoseconds.
int64_t unit_budget;
static int64_t given;
static uint64_t resumed_at;
static uint8_t outgoing[PACKET];
static size_t outgoing_length = 5;

struct wire_radio wire_radio;

// The radio's interrupt never ended: nothing is heard any more until power is cut.
static bool is_deaf;

static struct {
    uint16_t number;
    bool is_answered;
    uint8_t status;
    size_t length;
    uint8_t *bytes;
} requests[OPEN_REQUESTS];
static uint16_t last_number;

// An item of two parts; it goes straight into the packet, as the stack is small.
static void put_parts(uint8_t kind, const void *head, size_t head_length, const void *bytes, size_t length) {
    size_t whole = head_length + length;
    if (outgoing_length + 3 + whole > PACKET) {
        unit_reset(UNIT_RESET_CRASHED);
    }
    uint8_t *item = outgoing + outgoing_length;
    item[0] = kind;
    item[1] = whole;
    item[2] = whole >> 8;
    memcpy(item + 3, head, head_length);
    memcpy(item + 3 + head_length, bytes, length);
    outgoing_length += 3 + whole;
}

void wire_put(uint8_t kind, const void *bytes, size_t length) { put_parts(kind, bytes, length, "", 0); }

static void settle(const uint8_t *item, size_t length) {
    uint16_t number = item[0] | item[1] << 8;
    for (int i = 0; i < OPEN_REQUESTS; i++) {
        if (requests[i].number == number && !requests[i].is_answered) {
            requests[i].is_answered = true;
            requests[i].status = item[2];
            requests[i].length = length - 3;
            requests[i].bytes = malloc(length);
            memcpy(requests[i].bytes, item + 3, length - 3);
        }
    }
}

static void take_item(uint8_t kind, const uint8_t *bytes, size_t length) {
    if (kind == 'A') {
        settle(bytes, length);
    } else if (kind == 'X') {
        is_deaf = true;
    } else if (is_deaf) {
        return;
    } else if (kind == 'R') {
        console_hear(bytes, length);
    } else if (kind == 'T' && length == 1) {
        unit_touched(bytes[0]);
    } else if (kind == 'D') {
        // The bytes are allocated in the radio's interrupt; an error there leaves it for ever.
        nlr_buf_t nlr;
        if (nlr_push(&nlr) == 0) {
            unit_data_received(bytes, length);
            nlr_pop();
        } else {
            is_deaf = true;
        }
    }
}

void wire_exchange(uint8_t why) {
    static uint8_t incoming[PACKET];
    // A loop within C, which no jump interrupts, ends the process after this much of the host's processor time: the unit crashes.
    static const struct itimerval limit = {.it_value = {.tv_sec = TURN_SECONDS}};
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    int64_t spent = given - unit_budget;
    uint32_t used = spent / 1000;
    memcpy(outgoing, &used, 4);
    outgoing[4] = why;
    if (write(WIRE, outgoing, outgoing_length) < 0) {
        _exit(0);
    }
    outgoing_length = 5;
    ssize_t length;
    do {
        length = read(WIRE, incoming, sizeof(incoming));
    } while (length < 0 && errno == EINTR);
    if (length < 16) {
        _exit(0);
    }
    uint32_t budget;
    memcpy(&budget, incoming, 4);
    memcpy(&resumed_at, incoming + 4, 8);
    given = (int64_t)budget * 1000;
    unit_budget = given - spent % 1000;
    wire_radio.flags = incoming[12];
    wire_radio.payload = incoming[13] | incoming[14] << 8;
    wire_radio.places = incoming[15];
    for (ssize_t at = 16; at + 3 <= length;) {
        size_t size = incoming[at + 1] | incoming[at + 2] << 8;
        if (at + 3 + (ssize_t)size > length) {
            break;
        }
        take_item(incoming[at], incoming + at + 3, size);
        at += 3 + size;
    }
}

void unit_slice(void) {
    wire_exchange(UNIT_WHY_BUDGET);
}

void unit_charge(uint32_t microseconds) {
    // Long work inside C: the next jump or wait accounts for it.
    unit_budget -= (int64_t)microseconds * 1000;
}

uint64_t unit_now(void) {
    return resumed_at + (uint64_t)(given - unit_budget) / 1000;
}

bool unit_is_subscribed(bool data) {
    return (wire_radio.flags & 1) && (wire_radio.flags & (data ? 4 : 2));
}

uint16_t unit_payload(void) {
    return wire_radio.payload;
}

size_t unit_request(int operation, const void *data, size_t length, bool acts, void *answer, size_t room) {
    int slot = 0;
    while (slot < OPEN_REQUESTS && requests[slot].number != 0) {
        slot++;
    }
    if (slot == OPEN_REQUESTS) {
        unit_reset(UNIT_RESET_CRASHED);
    }
    last_number = last_number % 60000 + 1;
    requests[slot].number = last_number;
    requests[slot].is_answered = false;
    uint8_t head[3] = {operation, last_number, last_number >> 8};
    put_parts('Q', head, sizeof(head), data, length);
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        while (!requests[slot].is_answered) {
            if (acts && console_send()) {
                mp_handle_pending(true);
            }
            // A callback that asked something itself has taken the answer along.
            if (!requests[slot].is_answered) {
                wire_exchange(UNIT_WHY_ANSWER);
            }
        }
        nlr_pop();
    } else {
        // Interrupted: the model forgets what was asked.
        uint8_t number[2] = {requests[slot].number, requests[slot].number >> 8};
        wire_put('K', number, 2);
        if (requests[slot].is_answered) {
            free(requests[slot].bytes);
        }
        requests[slot].number = 0;
        nlr_jump(nlr.ret_val);
    }
    size_t count = requests[slot].length;
    uint8_t *bytes = requests[slot].bytes;
    int status = requests[slot].status;
    requests[slot].number = 0;
    if (status != 0) {
        vstr_t text;
        vstr_init_len(&text, count);
        memcpy(text.buf, bytes, count);
        free(bytes);
        nlr_raise(mp_obj_new_exception_arg1(
            status == 1 ? &mp_type_ValueError : &mp_type_OSError, mp_obj_new_str_from_vstr(&text)));
    }
    if (count > room) {
        count = room;
    }
    if (answer) {
        memcpy(answer, bytes, count);
    }
    free(bytes);
    return count;
}

void unit_reset(int kind) {
    outgoing_length = 5;
    uint8_t question[4] = {UNIT_RESET, 0, 0, kind};
    wire_put('Q', question, 4);
    for (;;) {
        is_deaf = true;
        wire_exchange(UNIT_WHY_ANSWER);
    }
}
