/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
/* The calls on sockets whose addresses or headers Swift cannot build. */
#include "CLinux.h"

#include <stddef.h>
#include <string.h>
#include <sys/un.h>

/* Stands for the kernel, and for a port that the kernel chooses. */
static const struct clinux_sockaddr_nl netlink = {.nl_family = AF_NETLINK};

int clinux_bind_netlink(int descriptor, uint32_t groups) {
    struct clinux_sockaddr_nl own = {.nl_family = AF_NETLINK, .nl_groups = groups};
    return bind(descriptor, (const struct sockaddr *)&own, sizeof own);
}

int clinux_connect_netlink(int descriptor) {
    return connect(descriptor, (const struct sockaddr *)&netlink, sizeof netlink);
}

ssize_t clinux_send_netlink(int descriptor, const void *bytes, size_t length) {
    const struct sockaddr *kernel = (const struct sockaddr *)&netlink;
    ssize_t sent = sendto(descriptor, bytes, length, MSG_FASTOPEN | MSG_NOSIGNAL, kernel, sizeof netlink);
    if (sent >= 0 || errno != EINVAL) return sent;
    return sendto(descriptor, bytes, length, MSG_NOSIGNAL, kernel, sizeof netlink);
}

ssize_t clinux_receive_netlink(int descriptor, void *buffer, size_t capacity, uint32_t *sender_port) {
    struct clinux_sockaddr_nl sender;
    socklen_t length = sizeof sender;
    ssize_t count =
        recvfrom(descriptor, buffer, capacity, MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&sender, &length);
    *sender_port = count >= 0 && length == sizeof sender ? sender.nl_pid : UINT32_MAX;
    return count;
}

ssize_t clinux_receive_several(int descriptor, void *buffer, size_t slot_size, unsigned slots, uint32_t *lengths) {
    struct mmsghdr headers[CLINUX_MOST_SLOTS];
    struct iovec vectors[CLINUX_MOST_SLOTS];
    if (slots > CLINUX_MOST_SLOTS) slots = CLINUX_MOST_SLOTS;
    memset(headers, 0, slots * sizeof headers[0]);
    for (unsigned i = 0; i < slots; i++) {
        vectors[i] = (struct iovec){(char *)buffer + i * slot_size, slot_size};
        headers[i].msg_hdr.msg_iov = &vectors[i];
        headers[i].msg_hdr.msg_iovlen = 1;
    }
    int count = recvmmsg(descriptor, headers, slots, MSG_DONTWAIT | MSG_TRUNC, NULL);
    if (count < 0 && (errno == ENOSYS || errno == EPERM || errno == EACCES)) {
        /* A filter of system calls (seccomp(2)) may refuse this one alone. */
        ssize_t length = recv(descriptor, buffer, slot_size, MSG_DONTWAIT | MSG_TRUNC);
        if (length < 0) return -1;
        lengths[0] = (uint32_t)length;
        return 1;
    }
    for (int i = 0; i < count; i++) lengths[i] = headers[i].msg_len;
    return count;
}

ssize_t clinux_send_vector(int descriptor, const void *vector, int count) {
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = (struct iovec *)vector;
    message.msg_iovlen = (size_t)count;
    return sendmsg(descriptor, &message, MSG_NOSIGNAL);
}

int clinux_connect_unix(int descriptor, const uint8_t *name, size_t length, int is_abstract) {
    struct sockaddr_un remote;
    memset(&remote, 0, sizeof remote);
    remote.sun_family = AF_UNIX;
    if (length == 0 || length >= sizeof remote.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(remote.sun_path + (is_abstract ? 1 : 0), name, length);
    /* The length includes the closing zero of a path, or the leading zero of an abstract name (unix(7)). */
    return connect(descriptor, (struct sockaddr *)&remote, offsetof(struct sockaddr_un, sun_path) + length + 1);
}

int clinux_unix_peer(int descriptor, uint8_t *name) {
    struct sockaddr_un remote;
    socklen_t size = sizeof remote;
    if (getpeername(descriptor, (struct sockaddr *)&remote, &size) != 0) return -1;
    size_t length = size > offsetof(struct sockaddr_un, sun_path) ? size - offsetof(struct sockaddr_un, sun_path) : 0;
    if (length > sizeof remote.sun_path) length = sizeof remote.sun_path;
    memcpy(name, remote.sun_path, length);
    return (int)length;
}

/* linux/sock_diag.h and linux/unix_diag.h. */
struct unix_request {
    struct clinux_nlmsghdr header;
    uint8_t family, protocol;
    uint16_t padding;
    uint32_t states, inode, show, cookie[2];
};
struct unix_answer {
    struct clinux_nlmsghdr header;
    uint8_t family, type, state, padding;
    uint32_t inode, cookie[2];
};
enum { by_family = 20, listening = 10, show_name = 1, attribute_name = 0 };

/* NLMSG_ALIGN and NLA_ALIGN of linux/netlink.h. */
static size_t aligned(size_t length) {
    return (length + 3) & ~(size_t)3;
}

static const size_t attribute_header = sizeof(struct clinux_rtattr); /* that of struct nlattr */

/* Whether one message of the answer names this path. A path's attribute ends with a zero, and an abstract name begins with one. */
static bool names(const struct clinux_nlmsghdr *message, const uint8_t *path, size_t length) {
    size_t offset = sizeof(struct unix_answer);
    while (offset + attribute_header <= message->nlmsg_len) {
        const struct clinux_rtattr *attribute = (const void *)((const char *)message + offset);
        const char *name = (const char *)attribute + attribute_header;
        if (attribute->rta_len < attribute_header || offset + attribute->rta_len > message->nlmsg_len) return false;
        if (length > 0 && attribute->rta_type == attribute_name && strnlen(name, attribute->rta_len - attribute_header) == length &&
            memcmp(name, path, length) == 0)
            return true;
        offset += aligned(attribute->rta_len);
    }
    return false;
}

int clinux_unix_listens(int descriptor, const uint8_t *path, size_t length) {
    struct unix_request request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = by_family, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .family = AF_UNIX,
        .states = 1u << listening,
        .show = show_name,
    };
    _Alignas(8) char buffer[16 << 10];
    if (send(descriptor, &request, sizeof request, 0) < 0) return -1;
    for (bool found = false;;) {
        ssize_t count = recv(descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
        if (count < 0) return -1;
        for (ssize_t offset = 0; offset + (ssize_t)sizeof(struct clinux_nlmsghdr) <= count;) {
            const struct clinux_nlmsghdr *message = (const void *)(buffer + offset);
            if (message->nlmsg_len < sizeof(struct clinux_nlmsghdr) || offset + message->nlmsg_len > count) break;
            if (message->nlmsg_type == NLMSG_DONE) return found;
            if (message->nlmsg_type != by_family) {
                errno = EPROTO;
                return -1;
            }
            found = found || names(message, path, length);
            offset += (ssize_t)aligned(message->nlmsg_len);
        }
    }
}
