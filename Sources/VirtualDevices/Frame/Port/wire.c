// The wire to the model, and the passing of time.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "unit.h"

#define WIRE 3
#define PACKET 98304
// A turn of so much of the host's processor time is a loop within C: the model takes it for a hang.
#define TURN_SECONDS 2
#define FOREVER UINT32_MAX

static int32_t given, budget;
static uint64_t resumed_at;
static uint8_t link_flags;
static uint16_t payload;
static uint8_t outgoing[PACKET], incoming[PACKET];
static size_t outgoing_length;
static bool is_answered;
static int status;

bool unit_was_fed;
const uint8_t *unit_answer;
size_t unit_answer_length;

static uint32_t read_word(const uint8_t *at) { return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24; }

static void put(uint8_t kind, const void *head, size_t head_length, const void *bytes, size_t length) {
    uint32_t whole = head_length + length;
    if (outgoing_length + 5 + whole > PACKET) {
        _exit(1);
    }
    uint8_t *item = outgoing + outgoing_length;
    item[0] = kind;
    memcpy(item + 1, &whole, 4);
    memcpy(item + 5, head, head_length);
    if (length > 0) {
        memcpy(item + 5 + head_length, bytes, length);
    }
    outgoing_length += 5 + whole;
}

static void take(uint8_t kind, const uint8_t *bytes, size_t length) {
    switch (kind) {
        case 'D': unit_interrupt_data(bytes, length); break;
        case 'B': unit_interrupt_break(); break;
        case 'T': unit_interrupt_tap(); break;
        case 'C': unit_command(bytes, length); break;
        case 'A':
            if (length > 0) {
                is_answered = true;
                status = bytes[0];
                unit_answer = bytes + 1;
                unit_answer_length = length - 1;
            }
            break;
    }
}

static void hear(void) {
    ssize_t length;
    do {
        length = read(WIRE, incoming, sizeof(incoming));
    } while (length < 0 && errno == EINTR);
    if (length < 15) {
        _exit(0);
    }
    given = budget = (int32_t)read_word(incoming);
    memcpy(&resumed_at, incoming + 4, 8);
    link_flags = incoming[12];
    payload = incoming[13] | incoming[14] << 8;
    for (ssize_t at = 15; at + 5 <= length;) {
        uint32_t size = read_word(incoming + at + 1);
        if (size > (size_t)(length - at - 5)) {
            break;
        }
        take(incoming[at], incoming + at + 5, size);
        at += 5 + size;
    }
}

// Lets the model go on until it lets this program go on.
static void exchange(uint8_t why) {
    static const struct itimerval limit = {.it_value = {.tv_sec = TURN_SECONDS}};
    uint32_t used = given - budget;
    memcpy(outgoing, &used, 4);
    outgoing[4] = why;
    outgoing[5] = unit_was_fed;
    unit_was_fed = false;
    if (write(WIRE, outgoing, outgoing_length) < 0) {
        _exit(0);
    }
    outgoing_length = 6;
    hear();
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

void unit_begin(void) { outgoing_length = 6; }

void unit_charge(uint32_t microseconds) { budget -= (int32_t)microseconds; }

uint64_t unit_now(void) { return resumed_at + (uint64_t)(given - budget); }

void unit_slice(void) {
    if (budget <= 0) {
        exchange(UNIT_WHY_BUDGET);
    }
}

void unit_wait(uint32_t microseconds) {
    put('W', &microseconds, 4, NULL, 0);
    exchange(UNIT_WHY_WAIT);
}

int unit_ask(int operation, const void *bytes, size_t length) {
    uint8_t head = operation;
    is_answered = false;
    put('Q', &head, 1, bytes, length);
    while (!is_answered) {
        exchange(UNIT_WHY_QUESTION);
    }
    return status;
}

bool unit_is_connected(void) { return link_flags & 1; }
bool unit_is_subscribed(void) { return link_flags & 2; }
int unit_payload(void) { return payload; }
