// The wire to the model, the passing of time, and the two rings between radio and REPL (main.c of the firmware).
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "py/gc.h"
#include "py/mphal.h"
#include "py/runtime.h"
#include "py/stream.h"
#include "shared/runtime/interrupt_char.h"
#include "unit.h"

#define WIRE 3
#define PACKET 65536
#define RING 1024
#define OPEN_REQUESTS 16
#define TURN_SECONDS 10
// The clock wakes the firmware 1024 times a second, and counts in 24 bits.
#define TICK_MICROSECONDS 977
#define TICKS 0x1000000

int32_t unit_budget;
static int32_t given;
static uint64_t resumed_at;
static uint8_t outgoing[PACKET];
static size_t outgoing_length = 5;

static struct {
    uint8_t flags, places;
    uint16_t payload;
} radio;

static struct {
    uint8_t bytes[RING];
    uint16_t head, tail;
} received, printed;

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

static void put(uint8_t kind, const void *bytes, size_t length) { put_parts(kind, bytes, length, "", 0); }

static void hear(const uint8_t *bytes, size_t length) {
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
        hear(bytes, length);
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

static void exchange(uint8_t why) {
    static uint8_t incoming[PACKET];
    // A loop within C, which no jump interrupts, ends the process after this much of the host's processor time: the unit crashes.
    static const struct itimerval limit = {.it_value = {.tv_sec = TURN_SECONDS}};
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    uint32_t used = given - unit_budget;
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
    given = unit_budget = (int32_t)budget;
    radio.flags = incoming[12];
    radio.payload = incoming[13] | incoming[14] << 8;
    radio.places = incoming[15];
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
    exchange(UNIT_WHY_BUDGET);
}

void unit_charge(uint32_t microseconds) {
    // Long work inside C: the next jump or wait accounts for it.
    unit_budget -= (int32_t)microseconds;
}

uint64_t unit_now(void) {
    return resumed_at + (uint64_t)(given - unit_budget);
}

bool unit_is_subscribed(bool data) {
    return (radio.flags & 1) && (radio.flags & (data ? 4 : 2));
}

uint16_t unit_payload(void) {
    return radio.payload;
}

// Sends one notification of what was printed. True when nothing is left to send, or nobody listens.
static bool send_printed(void) {
    if (!unit_is_subscribed(false) || printed.head == printed.tail) {
        return true;
    }
    if (radio.payload == 0) {
        // Before an MTU exchange the firmware copies all that waits into a buffer of 256 bytes on its stack.
        uint16_t waiting = (printed.head - printed.tail + RING) % RING;
        if (waiting > 256) {
            unit_reset(UNIT_RESET_CRASHED);
        }
    }
    if (radio.places == 0) {
        return false;
    }
    uint8_t bytes[RING];
    uint16_t length = 0;
    while (printed.tail != printed.head && (radio.payload == 0 || length < radio.payload)) {
        bytes[length++] = printed.bytes[printed.tail];
        printed.tail = (printed.tail + 1) % RING;
    }
    radio.places--;
    put('N', bytes, length);
    return false;
}

static void wait_for(uint32_t microseconds) {
    put('W', &microseconds, 4);
    exchange(UNIT_WHY_WAIT);
}

// The firmware's wait hook: while output is left to send, callbacks and interrupts have to wait.
static void poll(uint32_t microseconds) {
    if (!send_printed()) {
        if (radio.places == 0) {
            exchange(UNIT_WHY_ROOM);
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
    while (!send_printed()) {
        if (radio.places == 0) {
            exchange(UNIT_WHY_ROOM);
        }
    }
    if (!unit_is_subscribed(true) || radio.places == 0) {
        return false;
    }
    radio.places--;
    put('M', data, length);
    return true;
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
            if (acts && send_printed()) {
                mp_handle_pending(true);
            }
            // A callback that asked something itself has taken the answer along.
            if (!requests[slot].is_answered) {
                exchange(UNIT_WHY_ANSWER);
            }
        }
        nlr_pop();
    } else {
        // Interrupted: the model forgets what was asked.
        uint8_t number[2] = {requests[slot].number, requests[slot].number >> 8};
        put('K', number, 2);
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
    put('Q', question, 4);
    for (;;) {
        is_deaf = true;
        exchange(UNIT_WHY_ANSWER);
    }
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
    unit_charge(5);
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
