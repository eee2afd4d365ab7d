/* SPDX-License-Identifier: Apache-2.0 */
#include "CLimits.h"
#include "limits.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

double limits_ipv4_lookup(int count) {
    int descriptor = open_netlink();
    if (descriptor < 0) return descriptor;
    struct request request;
    uint32_t state = 1;
    void *destination = begin_request(&request, RTM_GETROUTE, 0, AF_INET, 4);
    request.route.rtm_flags = RTM_F_LOOKUP_TABLE;
    int status = 0;
    uint64_t start = now_in_nanoseconds();
    for (int i = 0; i < count && status == 0; i++) {
        uint32_t address = random_ipv4(&state);
        memcpy(destination, &address, sizeof address);
        request.header.nlmsg_seq++;
        status = ask(descriptor, &request, request.header.nlmsg_len, 1);
    }
    uint64_t end = now_in_nanoseconds();
    close(descriptor);
    return status < 0 ? status : (double)(end - start) / count;
}

double limits_ipv6_lookup(int count) {
    int descriptor = open_netlink();
    if (descriptor < 0) return descriptor;
    /* The two requests have the same length, a multiple of four, and follow each other without a gap. */
    struct request requests[2];
    char datagram[2 * sizeof requests[0]] __attribute__((aligned(8)));
    uint32_t state = 1;
    for (int i = 0; i < 2; i++) {
        uint8_t *destination = begin_request(&requests[i], RTM_GETROUTE, 0, AF_INET6, 16);
        memcpy(destination, "\x2a\x00", 2); /* 2a00::/16, global unicast */
        requests[i].route.rtm_flags = i == 0 ? RTM_F_LOOKUP_TABLE : RTM_F_FIB_MATCH;
    }
    size_t length = requests[0].header.nlmsg_len;
    memcpy(datagram, &requests[0], length);
    memcpy(datagram + length, &requests[1], length);
    size_t last_word = length - 4;
    int status = 0;
    uint64_t start = now_in_nanoseconds();
    for (int i = 0; i < count && status == 0; i++) {
        uint32_t word = next_random(&state);
        memcpy(datagram + last_word, &word, sizeof word);
        memcpy(datagram + length + last_word, &word, sizeof word);
        status = ask(descriptor, datagram, 2 * length, 2);
    }
    uint64_t end = now_in_nanoseconds();
    close(descriptor);
    return status < 0 ? status : (double)(end - start) / count;
}
