/* SPDX-License-Identifier: Apache-2.0
 *
 * What this package uses of the kernel's headers, which systems with musl do not have. A number or a layout that the kernel has
 * released never changes. Above each group stands the header that Tests/CReachabilityTests/KernelHeaderTests.swift compares it with.
 * Structures have names of their own, because a program may import another module that includes the kernel's.
 */
#ifndef CLINUX_KERNEL_H
#define CLINUX_KERNEL_H

#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* linux/netlink.h */
struct clinux_sockaddr_nl {
    sa_family_t nl_family;
    unsigned short nl_pad;
    uint32_t nl_pid;
    uint32_t nl_groups;
};
struct clinux_nlmsghdr {
    uint32_t nlmsg_len;
    uint16_t nlmsg_type;
    uint16_t nlmsg_flags;
    uint32_t nlmsg_seq;
    uint32_t nlmsg_pid;
};
#define NETLINK_ROUTE 0
#define NETLINK_SOCK_DIAG 4
#define NETLINK_GENERIC 16
#define NETLINK_CAP_ACK 10
#define NLM_F_REQUEST 0x1
#define NLM_F_DUMP_INTR 0x10
#define NLM_F_DUMP 0x300
#define NLMSG_NOOP 1
#define NLMSG_ERROR 2
#define NLMSG_DONE 3
#define NLA_F_NESTED 0x8000
#define NLA_F_NET_BYTEORDER 0x4000

/* linux/rtnetlink.h */
struct clinux_rtattr {
    unsigned short rta_len;
    unsigned short rta_type;
};
struct clinux_rtmsg {
    unsigned char rtm_family;
    unsigned char rtm_dst_len;
    unsigned char rtm_src_len;
    unsigned char rtm_tos;
    unsigned char rtm_table;
    unsigned char rtm_protocol;
    unsigned char rtm_scope;
    unsigned char rtm_type;
    unsigned rtm_flags;
};
enum {
    RTM_NEWLINK = 16,
    RTM_DELLINK = 17,
    RTM_GETLINK = 18,
    RTM_NEWADDR = 20,
    RTM_DELADDR = 21,
    RTM_GETADDR = 22,
    RTM_NEWROUTE = 24,
    RTM_DELROUTE = 25,
    RTM_GETROUTE = 26,
    RTM_NEWRULE = 32,
    RTM_DELRULE = 33,
    RTM_GETRULE = 34,
    RTM_NEWNETCONF = 80,
    RTM_DELNETCONF = 81,
    RTM_NEWNEXTHOP = 104,
    RTM_DELNEXTHOP = 105,
};
#define RTM_F_LOOKUP_TABLE 0x1000
#define RTM_F_FIB_MATCH 0x2000
#define RTEXT_FILTER_SKIP_STATS 8
enum {
    RTA_DST = 1,
    RTA_SRC = 2,
    RTA_OIF = 4,
    RTA_GATEWAY = 5,
    RTA_PRIORITY = 6,
    RTA_PREFSRC = 7,
    RTA_MULTIPATH = 9,
    RTA_CACHEINFO = 12,
    RTA_TABLE = 15,
    RTA_MARK = 16,
    RTA_VIA = 18,
    RTA_UID = 25,
    RTA_IP_PROTO = 27,
    RTA_DPORT = 29,
    RTA_NH_ID = 30,
};
enum {
    RTNLGRP_LINK = 1,
    RTNLGRP_IPV4_IFADDR = 5,
    RTNLGRP_IPV4_ROUTE = 7,
    RTNLGRP_IPV4_RULE = 8,
    RTNLGRP_IPV6_IFADDR = 9,
    RTNLGRP_IPV6_ROUTE = 11,
    RTNLGRP_IPV6_RULE = 19,
    RTNLGRP_IPV4_NETCONF = 24,
    RTNLGRP_IPV6_NETCONF = 25,
    RTNLGRP_NEXTHOP = 32,
};

/* linux/if_link.h */
enum {
    IFLA_ADDRESS = 1,
    IFLA_IFNAME = 3,
    IFLA_MTU = 4,
    IFLA_MASTER = 10,
    IFLA_OPERSTATE = 16,
    IFLA_LINKINFO = 18,
    IFLA_EXT_MASK = 29,
    IFLA_MIN_MTU = 50,
    IFLA_MAX_MTU = 51,
};
enum { IFLA_INFO_KIND = 1 };

/* linux/if_addr.h */
enum { IFA_ADDRESS = 1, IFA_LOCAL = 2, IFA_BROADCAST = 4, IFA_CACHEINFO = 6, IFA_FLAGS = 8 };

/* linux/fib_rules.h */
struct clinux_fib_rule_hdr {
    uint8_t family;
    uint8_t dst_len;
    uint8_t src_len;
    uint8_t tos;
    uint8_t table;
    uint8_t res1;
    uint8_t res2;
    uint8_t action;
    uint32_t flags;
};
enum { FRA_UID_RANGE = 20, FRA_IP_PROTO = 22, FRA_SPORT_RANGE = 23, FRA_DPORT_RANGE = 24 };

/* linux/filter.h */
struct clinux_sock_filter {
    uint16_t code;
    uint8_t jt;
    uint8_t jf;
    uint32_t k;
};
struct clinux_sock_fprog {
    unsigned short len;
    struct clinux_sock_filter *filter;
};
#define BPF_LD 0x00
#define BPF_ST 0x02
#define BPF_ALU 0x04
#define BPF_JMP 0x05
#define BPF_RET 0x06
#define BPF_MISC 0x07
#define BPF_W 0x00
#define BPF_H 0x08
#define BPF_B 0x10
#define BPF_IMM 0x00
#define BPF_ABS 0x20
#define BPF_MEM 0x60
#define BPF_LEN 0x80
#define BPF_SUB 0x10
#define BPF_OR 0x40
#define BPF_LSH 0x60
#define BPF_RSH 0x70
#define BPF_JA 0x00
#define BPF_JEQ 0x10
#define BPF_JGT 0x20
#define BPF_JGE 0x30
#define BPF_K 0x00
#define BPF_X 0x08
#define BPF_TAX 0x00

/* linux/magic.h */
#define NSFS_MAGIC 0x6e736673

/* linux/nsfs.h */
#define NS_GET_NSTYPE _IO(0xb7, 3)

/* linux/futex.h */
#define FUTEX_WAIT_PRIVATE 128
#define FUTEX_WAKE_PRIVATE 129

/* asm-generic/socket.h. Old headers of the C library lack it (Linux 5.14). */
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

#endif
