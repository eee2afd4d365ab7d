/* SPDX-License-Identifier: Apache-2.0
 *
 * deny-netlink [-b|-e|-m] ERRNO PROGRAM [ARGUMENT...]: runs a program for which the kernel refuses all AF_NETLINK sockets with
 * this error number, like systemd's RestrictAddressFamilies= (97, EAFNOSUPPORT) and container runtimes (1, EPERM). With an option
 * it refuses something else instead: -b bind(2), as Android does; -e epoll_wait(2); -m recvmmsg(2).
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The largest error number: MAX_ERRNO in include/linux/err.h. The kernel reduces a larger number to this one (seccomp(2)). With
 * 0, socket(2) would return 0, which the program would take for a socket. */
enum { largest_error = 4095 };

/* Returns 0 if the text is no error number. */
static unsigned read_error(const char *text) {
    char *end = NULL;
    long number = strtol(text, &end, 10);
    return end != text && *end == '\0' && number > 0 && number <= largest_error ? (unsigned)number : 0;
}

/* What is refused: a system call, if some of its arguments have these values. */
struct refusal {
    const char *option;
    unsigned call, conditions;
    struct { unsigned argument, value; } is[2];
};
#ifdef SYS_epoll_wait
enum { epoll_call = SYS_epoll_wait };
#else
enum { epoll_call = SYS_epoll_pwait };
#endif
static const struct refusal refusals[] = {
    {"", SYS_socket, 1, {{0, AF_NETLINK}}},
    {"-b", SYS_bind, 0, {{0, 0}}},
    {"-e", epoll_call, 0, {{0, 0}}},
    {"-m", SYS_recvmmsg, 0, {{0, 0}}},
};

int main(int count, char **words) {
    const struct refusal *refused = refusals;
    for (size_t i = 1; count > 1 && i < sizeof refusals / sizeof *refusals; i++)
        if (strcmp(words[1], refusals[i].option) == 0) refused = &refusals[i];
    if (refused != refusals) {
        words++;
        count--;
    }
    if (count < 3) {
        fprintf(stderr, "usage: deny-netlink [-b|-e|-m] ERRNO PROGRAM [ARGUMENT...]\n");
        return 64;
    }
    unsigned error = read_error(words[1]);
    if (error == 0) {
        fprintf(stderr, "deny-netlink: '%s' is not an error number from 1 to %d, such as 1 for EPERM (errno(3))\n", words[1],
                largest_error);
        return 64;
    }
    struct sock_filter steps[8];
    unsigned short length = 0, total = (unsigned short)(4 + 2 * refused->conditions);
    for (unsigned i = 0; i <= refused->conditions; i++) {
        size_t offset = i == 0 ? offsetof(struct seccomp_data, nr)
                               : offsetof(struct seccomp_data, args) + 8 * refused->is[i - 1].argument;
        unsigned value = i == 0 ? refused->call : refused->is[i - 1].value;
        steps[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset);
        /* If it is another, to the last step. */
        unsigned char rest = (unsigned char)(total - length - 2);
        steps[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, rest);
    }
    steps[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA));
    steps[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = length, .filter = steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("deny-netlink: seccomp");
        return 71;
    }
    execvp(words[2], words + 2);
    perror(words[2]);
    return 72;
}
