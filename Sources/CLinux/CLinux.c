/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CLinux.h"

#include <string.h>
#include <sys/uio.h>

int clinux_open(const char *path, int flags, mode_t mode) {
    return open(path, flags, mode);
}

int clinux_duplicate(int descriptor) {
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

int clinux_ioctl_pointer(int descriptor, unsigned long request, void *argument) {
    return ioctl(descriptor, request, argument);
}

int clinux_enter_network_namespace(int descriptor) {
    return setns(descriptor, CLONE_NEWNET);
}

int clinux_name_thread(const char *name) {
    return pthread_setname_np(pthread_self(), name);
}

int clinux_error_text(int number, char *buffer, size_t capacity) {
    if (capacity == 0) return -1;
    const char *text = strerror_r(number, buffer, capacity); /* GNU form: may be a constant of the library's */
    if (text != buffer) {
        strncpy(buffer, text, capacity - 1);
        buffer[capacity - 1] = 0;
    }
    return 0;
}

int clinux_bind_netlink(int descriptor) {
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

ssize_t clinux_receive_netlink(int descriptor, void *buffer, size_t capacity, uint32_t *sender_port) {
    struct sockaddr_nl sender;
    struct iovec vector = {.iov_base = buffer, .iov_len = capacity};
    struct msghdr message;
    memset(&sender, 0, sizeof sender);
    memset(&message, 0, sizeof message);
    message.msg_name = &sender;
    message.msg_namelen = sizeof sender;
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    ssize_t count = recvmsg(descriptor, &message, MSG_DONTWAIT | MSG_TRUNC);
    *sender_port = message.msg_namelen == sizeof sender ? sender.nl_pid : UINT32_MAX;
    return count;
}

long clinux_clock_ticks(void) {
    return sysconf(_SC_CLK_TCK);
}
