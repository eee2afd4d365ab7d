/* SPDX-License-Identifier: Apache-2.0 */
#include "CLimits.h"
#include "limits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { answer_size = 4096 };

uint64_t now_in_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void limits_pause(unsigned milliseconds) {
    struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    nanosleep(&time, NULL);
}

int open_netlink(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    if (descriptor < 0) return -errno;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

void *begin_request(struct request *request, int type, int flags, int family, int address_length) {
    memset(request, 0, sizeof *request);
    request->header.nlmsg_type = (uint16_t)type;
    request->header.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
    request->header.nlmsg_len = NLMSG_LENGTH(sizeof request->route);
    request->route.rtm_family = (uint8_t)family;
    request->route.rtm_dst_len = (uint8_t)(8 * address_length);
    return add_attribute(request, RTA_DST, address_length);
}

void *add_attribute(struct request *request, int type, int length) {
    struct rtattr *attribute = (struct rtattr *)((char *)request + request->header.nlmsg_len);
    attribute->rta_type = (uint16_t)type;
    attribute->rta_len = (uint16_t)RTA_LENGTH(length);
    request->header.nlmsg_len += RTA_LENGTH(length);
    return RTA_DATA(attribute);
}

uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

uint32_t random_ipv4(uint32_t *state) {
    return htonl(0x14000000u | (next_random(state) & 0x00FFFFFFu));
}

/* Receives one answer, which the kernel has queued before send(2) returned. A refusal is an error here, because it costs
 * less than a route. */
static int receive_answer(int descriptor) {
    union {
        struct nlmsghdr header;
        char bytes[answer_size];
    } answer;
    ssize_t length = recv(descriptor, &answer, sizeof answer, MSG_DONTWAIT);
    if (length < 0) return -errno;
    if (answer.header.nlmsg_type != NLMSG_ERROR) return 0;
    return ((struct nlmsgerr *)NLMSG_DATA(&answer.header))->error;
}

int ask(int descriptor, const void *requests, size_t length, int answers) {
    if (send(descriptor, requests, length, 0) != (ssize_t)length) return -errno;
    while (answers-- > 0) {
        int status = receive_answer(descriptor);
        if (status != 0) return status;
    }
    return 0;
}
