/* SPDX-License-Identifier: Apache-2.0
 *
 * deny-netlink ERRNO PROGRAM [ARGUMENT...]: runs a program for which the kernel refuses all AF_NETLINK sockets with this error
 * number, like systemd's RestrictAddressFamilies= (97, EAFNOSUPPORT) and container runtimes (1, EPERM).
 * deny-netlink -m ERRNO PROGRAM [ARGUMENT...]: refuses recvmmsg(2) instead.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
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

int main(int count, char **words) {
    int refuses_recvmmsg = count > 1 && strcmp(words[1], "-m") == 0;
    if (refuses_recvmmsg) {
        words++;
        count--;
    }
    if (count < 3) {
        fprintf(stderr, "usage: deny-netlink ERRNO PROGRAM [ARGUMENT...]\n");
        return 64;
    }
    unsigned error = read_error(words[1]);
    if (error == 0) {
        fprintf(stderr, "deny-netlink: '%s' is not an error number from 1 to %d, such as 1 for EPERM (errno(3))\n", words[1],
                largest_error);
        return 64;
    }
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_recvmmsg, refuses_recvmmsg ? 3 : 4, refuses_recvmmsg ? 4 : 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof steps / sizeof *steps, .filter = steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("deny-netlink: seccomp");
        return 71;
    }
    execvp(words[2], words + 2);
    perror(words[2]);
    return 72;
}
