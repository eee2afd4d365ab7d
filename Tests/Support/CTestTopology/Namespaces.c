/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include <sched.h>
#include <sys/mount.h>

#include "CTestTopology.h"

int topology_enter_new_network_with_sysfs(void) {
    if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) return -1;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
    return mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}
