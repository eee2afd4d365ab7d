/* SPDX-License-Identifier: Apache-2.0 */
#include "CLimits.h"
#include "limits.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void begin_question(struct question *question, int family) {
    int address_length = family == AF_INET ? 4 : 16;
    for (int i = 0; i < 2; i++) {
        struct request request;
        uint8_t *destination = begin_request(&request, RTM_GETROUTE, 0, family, address_length);
        if (family == AF_INET6) memcpy(destination, "\x2a\x00", 2); /* 2a00::/16, global unicast */
        request.route.rtm_flags = i == 0 ? RTM_F_LOOKUP_TABLE : RTM_F_FIB_MATCH;
        question->length = request.header.nlmsg_len;
        memcpy(question->datagram + i * question->length, &request, question->length);
    }
}

void set_destination(struct question *question, uint32_t word) {
    /* The address is the last attribute. The lengths are multiples of four, so there is no gap. */
    for (size_t i = 1; i <= 2; i++) memcpy(question->datagram + i * question->length - 4, &word, 4);
}

static double look_up(int family, int count) {
    int descriptor = open_netlink();
    if (descriptor < 0) return descriptor;
    struct question question;
    uint32_t state = 1;
    int status = 0;
    begin_question(&question, family);
    uint64_t start = now_in_nanoseconds();
    for (int i = 0; i < count && status == 0; i++) {
        set_destination(&question, family == AF_INET ? random_ipv4(&state) : next_random(&state));
        status = ask(descriptor, question.datagram, 2 * question.length, 2);
    }
    uint64_t end = now_in_nanoseconds();
    close(descriptor);
    return status < 0 ? status : (double)(end - start) / count;
}

double limits_ipv4_lookup(int count) { return look_up(AF_INET, count); }

double limits_ipv6_lookup(int count) { return look_up(AF_INET6, count); }
