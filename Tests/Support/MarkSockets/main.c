/* SPDX-License-Identifier: Apache-2.0
 *
 * mark-sockets MARK INTERFACE PROGRAM [ARGUMENT...]: runs a program in a control group that gives all new sockets a firewall
 * mark and binds them to an interface. Both are numbers; 0 means none. `ip vrf exec` and systemd's BindNetworkInterface= do
 * the same.
 *
 * The group is made in a private mount of the cgroup2 file system, and removed after the program has ended. Exits with the
 * status of the program, or with 69 (EX_UNAVAILABLE) if the machine does not allow this.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { usage_error = 64, unavailable = 69 };

static char group[64];

static void give_up(const char *what) {
    fprintf(stderr, "mark-sockets: %s: %s\n", what, strerror(errno));
    if (group[0]) rmdir(group);
    exit(unavailable);
}

static int bpf(int command, union bpf_attr *attributes) {
    return (int)syscall(SYS_bpf, command, attributes, sizeof *attributes);
}

/* Loads `socket->mark = mark; socket->bound_dev_if = interface; return 1`, without assignments of 0. */
static int load(uint32_t mark, uint32_t interface) {
    struct bpf_insn program[8];
    int count = 0;
    const struct { uint32_t value; int16_t offset; } stores[] = {
        {mark, offsetof(struct bpf_sock, mark)}, {interface, offsetof(struct bpf_sock, bound_dev_if)}};
    for (int index = 0; index < 2; index++) {
        if (stores[index].value == 0) continue;
        program[count++] = (struct bpf_insn){
            .code = BPF_ALU | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = (int32_t)stores[index].value};
        program[count++] = (struct bpf_insn){
            .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_2, .off = stores[index].offset};
    }
    program[count++] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1};
    program[count++] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.prog_type = BPF_PROG_TYPE_CGROUP_SOCK;
    attributes.expected_attach_type = BPF_CGROUP_INET_SOCK_CREATE;
    attributes.insns = (uint64_t)(uintptr_t)program;
    attributes.insn_cnt = (uint32_t)count;
    attributes.license = (uint64_t)(uintptr_t)"GPL";
    return bpf(BPF_PROG_LOAD, &attributes);
}

static void make_group(uint32_t mark, uint32_t interface) {
    if (unshare(CLONE_NEWNS) != 0) give_up("a mount namespace");
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) give_up("making mounts private");
    if (mount("none", "/sys/fs/cgroup", "cgroup2", 0, NULL) != 0) give_up("mounting cgroup2");
    /* All mounts of cgroup2 show the same groups, and processes of two namespaces may have the same number. */
    strcpy(group, "/sys/fs/cgroup/mark-sockets-XXXXXX");
    if (mkdtemp(group) == NULL) {
        group[0] = 0;
        give_up("making a control group");
    }
    int program = load(mark, interface);
    if (program < 0) give_up("loading a program");
    int directory = open(group, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.target_fd = (uint32_t)directory;
    attributes.attach_bpf_fd = (uint32_t)program;
    attributes.attach_type = BPF_CGROUP_INET_SOCK_CREATE;
    if (directory < 0 || bpf(BPF_PROG_ATTACH, &attributes) != 0) give_up("attaching a program");
    close(directory);
    close(program);
}

static void enter_group(void) {
    char path[96];
    snprintf(path, sizeof path, "%s/cgroup.procs", group);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "0", 1) != 1) {
        perror("mark-sockets: entering the control group");
        _exit(unavailable);
    }
    close(file);
}

int main(int count, char **words) {
    if (count < 4) {
        fputs("usage: mark-sockets MARK INTERFACE PROGRAM [ARGUMENT...]\n", stderr);
        return usage_error;
    }
    make_group((uint32_t)strtoul(words[1], NULL, 0), (uint32_t)strtoul(words[2], NULL, 0));
    pid_t child = fork();
    if (child < 0) give_up("fork");
    if (child == 0) {
        enter_group();
        execvp(words[3], words + 3);
        perror(words[3]);
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (rmdir(group) != 0) perror("mark-sockets: removing the control group");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
