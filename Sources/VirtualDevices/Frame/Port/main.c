// The program: it asks what it is, then runs Lua again and again, as the firmware does.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

struct unit_identity unit_identity;

// Lines: features, version, tag, hardware, address.
static void introduce(void) {
    char text[256];
    unit_ask(UNIT_HELLO, NULL, 0);
    size_t length = unit_answer_length < sizeof(text) - 1 ? unit_answer_length : sizeof(text) - 1;
    memcpy(text, unit_answer, length);
    text[length] = 0;
    if (sscanf(
            text, "%u\n%31[^\n]\n%31[^\n]\n%31[^\n]\n%17[^\n]", &unit_identity.features, unit_identity.version, unit_identity.tag,
            unit_identity.hardware, unit_identity.address) != 5) {
        _exit(1);
    }
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "--version") == 0) {
        puts(LUA_RELEASE);
        return 0;
    }
    if (count == 2 && strcmp(words[1], "--confinement") == 0) {
        return unit_show_confinement();
    }
    if (count != 2 || strcmp(words[1], "--wire") != 0) {
        fputs("usage: frame-lua --wire (with the wire on descriptor 3) | --version | --confinement\n", stderr);
        return 64;
    }
    signal(SIGPIPE, SIG_IGN);
    if (!unit_confine()) {
        return 71;
    }
    unit_begin();
    introduce();
    for (;;) {
        unit_run();
    }
}
