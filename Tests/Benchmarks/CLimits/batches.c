/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CLimits.h"
#include "limits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { largest_batch = 128, answer_size = 512 };

/* A refusal counts as an answer, as it does when a link is down. */
int look_up_in_batches(int descriptor, int count, int batch) {
    static char answers[largest_batch][answer_size];
    static struct iovec vectors[largest_batch];
    static struct mmsghdr messages[largest_batch];
    uint32_t state = 1;
    size_t length = 0;
    if (batch > largest_batch) batch = largest_batch;
    struct question question;
    char datagram[largest_batch * sizeof question.datagram] __attribute__((aligned(8)));
    for (int i = 0; i < largest_batch; i++) {
        vectors[i] = (struct iovec){answers[i], answer_size};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    begin_question(&question, AF_INET);
    length = 2 * question.length;
    for (int done = 0; done < count; done += batch) {
        int size = count - done < batch ? count - done : batch;
        for (int i = 0; i < size; i++) {
            set_destination(&question, random_ipv4(&state));
            memcpy(datagram + (size_t)i * length, question.datagram, length);
        }
        if (send(descriptor, datagram, (size_t)size * length, 0) < 0) return -errno;
        int received = 0;
        while (received < 2 * size) {
            int wanted = 2 * size - received < largest_batch ? 2 * size - received : largest_batch;
            int more = recvmmsg(descriptor, messages, (unsigned)wanted, MSG_DONTWAIT, NULL);
            if (more <= 0) return -errno;
            received += more;
        }
    }
    return 0;
}

/* Sends one datagram of changes without acknowledgements. The kernel answers only those that it refuses. */
static size_t write_changes(char *datagram, int add, uint32_t first, int prefix_length, int count, uint32_t gateway) {
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        struct request request;
        uint32_t destination = htonl(first + ((uint32_t)i << (32 - prefix_length)));
        int flags = add ? NLM_F_CREATE | NLM_F_EXCL : 0;
        memcpy(begin_request(&request, add ? RTM_NEWROUTE : RTM_DELROUTE, flags, AF_INET, 4), &destination, 4);
        request.route.rtm_dst_len = (uint8_t)prefix_length;
        request.route.rtm_table = RT_TABLE_MAIN;
        request.route.rtm_protocol = RTPROT_STATIC;
        request.route.rtm_type = gateway ? RTN_UNICAST : RTN_BLACKHOLE;
        if (gateway) {
            uint32_t bytes = htonl(gateway);
            memcpy(add_attribute(&request, RTA_GATEWAY, 4), &bytes, 4);
        }
        memcpy(datagram + length, &request, request.header.nlmsg_len);
        length += request.header.nlmsg_len;
    }
    return length;
}

double limits_change_routes(int add, uint32_t first, int prefix_length, int count, uint32_t gateway) {
    char datagram[largest_batch * sizeof(struct request)] __attribute__((aligned(8)));
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char rest[512];
    } answer;
    int descriptor = open_netlink();
    if (descriptor < 0) return descriptor;
    int status = 0;
    uint64_t start = now_in_nanoseconds();
    for (int done = 0; done < count && status == 0; done += largest_batch) {
        int size = count - done < largest_batch ? count - done : largest_batch;
        uint32_t base = first + ((uint32_t)done << (32 - prefix_length));
        size_t length = write_changes(datagram, add, base, prefix_length, size, gateway);
        if (send(descriptor, datagram, length, 0) < 0) status = -errno;
        if (recv(descriptor, &answer, sizeof answer, MSG_DONTWAIT) >= 0) status = answer.error.error;
    }
    uint64_t end = now_in_nanoseconds();
    close(descriptor);
    return status < 0 ? status : (double)(end - start) / count;
}
