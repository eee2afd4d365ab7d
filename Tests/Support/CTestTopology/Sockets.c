/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CTestTopology.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netdb.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int topology_forge_netlink(uint32_t port, uint32_t group, const void *bytes, size_t length, int times) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    socklen_t size = sizeof address;
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    int taken = 0, error = 0;
    if (descriptor < 0) return -errno;
    /* A message to a group also goes to a port. It must not be the kernel's, which would obey the message. */
    bind(descriptor, (struct sockaddr *)&address, sizeof address);
    getsockname(descriptor, (struct sockaddr *)&address, &size);
    if (group == 0) address.nl_pid = port;
    address.nl_groups = group == 0 ? 0 : 1u << (group - 1);
    for (int i = 0; i < times; i++) {
        if (sendto(descriptor, bytes, length, MSG_DONTWAIT, (struct sockaddr *)&address, sizeof address) >= 0)
            taken++;
        else
            error = errno;
    }
    close(descriptor);
    return taken > 0 ? taken : -error;
}

int topology_feed(int descriptor, const void *bytes, size_t length) {
    struct sockaddr_un sender = {.sun_family = AF_UNIX, .sun_path = "\0\0\0\0\0\0feed"};
    int ends[2], error = 0;
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) != 0) return -errno;
    if (bind(ends[0], (struct sockaddr *)&sender, sizeof(struct sockaddr_nl)) != 0 ||
        send(ends[0], bytes, length, 0) < 0 || dup3(ends[1], descriptor, O_CLOEXEC) < 0)
        error = errno;
    close(ends[0]);
    close(ends[1]);
    return -error;
}

/* Reads an address; NULL if the text is none. Free with freeaddrinfo(3). */
static struct addrinfo *read_address(const char *text) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *address = NULL;
    return getaddrinfo(text, NULL, &hints, &address) == 0 ? address : NULL;
}

void topology_become_user_of_files(uid_t user) {
    setfsuid(user);
}

int topology_socket(
    const char *destination, int type, const char *source, const char *interface, uint32_t mark, uid_t user) {
    struct addrinfo *remote = read_address(destination);
    if (!remote) return -EINVAL;
    int family = remote->ai_family;
    freeaddrinfo(remote);
    /* The owner of a socket is the file system user id at its creation (sock_init_data_uid in net/core/sock.c). An invalid
     * user changes nothing (setfsuid(2)). */
    int before = setfsuid(user);
    int descriptor = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error = errno;
    setfsuid((uid_t)before);
    if (descriptor < 0) return -error;
    const int yes = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
    if (mark != 0 && setsockopt(descriptor, SOL_SOCKET, SO_MARK, &mark, sizeof mark) != 0) goto failed;
    if (interface
        && setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, interface, (socklen_t)strlen(interface)) != 0)
        goto failed;
    if (source) {
        struct addrinfo *local = read_address(source);
        if (!local) {
            errno = EINVAL;
            goto failed;
        }
        int bound = bind(descriptor, local->ai_addr, local->ai_addrlen);
        error = errno;
        freeaddrinfo(local);
        errno = error;
        if (bound != 0) goto failed;
    }
    return descriptor;
failed:
    error = errno;
    close(descriptor);
    return -error;
}

int topology_connect(int descriptor, const char *destination, uint16_t port, char *source, size_t size, int *mtu) {
    /* Clears the choice of an earlier call. It would also unbind a UDP socket from its interface (__udp_disconnect in
     * net/ipv4/udp.c). */
    const struct sockaddr nothing = {.sa_family = AF_UNSPEC};
    struct sockaddr_storage peer;
    socklen_t peer_length = sizeof peer;
    if (getpeername(descriptor, (struct sockaddr *)&peer, &peer_length) == 0)
        connect(descriptor, &nothing, sizeof nothing);
    struct addrinfo *remote = read_address(destination);
    if (!remote) return EINVAL;
    int isIPv4 = remote->ai_family == AF_INET;
    if (isIPv4) ((struct sockaddr_in *)remote->ai_addr)->sin_port = htons(port);
    else ((struct sockaddr_in6 *)remote->ai_addr)->sin6_port = htons(port);
    int error = connect(descriptor, remote->ai_addr, remote->ai_addrlen) == 0 || errno == EINPROGRESS ? 0 : errno;
    freeaddrinfo(remote);
    if (error != 0) return error;
    struct sockaddr_storage chosen;
    socklen_t length = sizeof chosen, word = sizeof *mtu;
    if (getsockname(descriptor, (struct sockaddr *)&chosen, &length) != 0) return errno;
    *mtu = 0;
    getsockopt(descriptor, isIPv4 ? IPPROTO_IP : IPPROTO_IPV6, isIPv4 ? IP_MTU : IPV6_MTU, mtu, &word);
    return getnameinfo((struct sockaddr *)&chosen, length, source, (socklen_t)size, NULL, 0, NI_NUMERICHOST) == 0 ? 0 : EIO;
}

int topology_advertise(const char *interface, uint16_t lifetime) {
    const struct {
        struct nd_router_advert router;
        struct nd_opt_prefix_info prefix;
    } packet = {
        .router = {
            .nd_ra_hdr = {.icmp6_type = ND_ROUTER_ADVERT, .icmp6_data16[1] = htons(lifetime)}},
        .prefix = {
            .nd_opt_pi_type = ND_OPT_PREFIX_INFORMATION,
            .nd_opt_pi_len = sizeof packet.prefix / 8,
            .nd_opt_pi_prefix_len = 64,
            .nd_opt_pi_flags_reserved = ND_OPT_PI_FLAG_ONLINK | ND_OPT_PI_FLAG_AUTO,
            .nd_opt_pi_valid_time = htonl(86400),
            .nd_opt_pi_preferred_time = htonl(14400),
            .nd_opt_pi_prefix = {.s6_addr = {0x20, 0x01, 0x0d, 0xb8, 0, 7}}}};
    const struct sockaddr_in6 everybody = {
        .sin6_family = AF_INET6,
        .sin6_addr = {.s6_addr = {0xff, 0x02, [15] = 1}},
        .sin6_scope_id = if_nametoindex(interface)};
    /* What may have passed a router is not believed (RFC 4861 6.1.2). */
    const int hops = 255;
    int descriptor = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6), error = 0;
    if (descriptor < 0) return errno;
    if (setsockopt(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof hops) != 0
        || sendto(descriptor, &packet, sizeof packet, 0, (const struct sockaddr *)&everybody, sizeof everybody) < 0)
        error = errno;
    close(descriptor);
    return error;
}

int topology_open_slow_listener(void) {
    static const int groups[] = {
        RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_IFADDR,
        RTNLGRP_IPV6_ROUTE, RTNLGRP_IPV6_RULE, RTNLGRP_NEXTHOP};
    /* Divisions are slow. As many as fit into the option memory of a socket in Linux 5.10, where optmem_max is 20480. */
    enum { length = 2000 };
    struct sock_filter program[length];
    for (int index = 0; index < length - 1; index++)
        program[index] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 3);
    program[length - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
    const struct sock_fprog filter = {.len = length, .filter = program};
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (descriptor < 0) return -errno;
    if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0) goto failed;
    /* The socket needs a port, because announcements skip port 0 (nlmsg_notify in net/netlink/af_netlink.c). */
    const struct sockaddr_nl own = {.nl_family = AF_NETLINK};
    if (bind(descriptor, (const struct sockaddr *)&own, sizeof own) != 0) goto failed;
    for (size_t index = 0; index < sizeof groups / sizeof *groups; index++)
        if (setsockopt(descriptor, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[index], sizeof(int)) != 0) goto failed;
    return descriptor;
failed:;
    int error = errno;
    close(descriptor);
    return -error;
}
