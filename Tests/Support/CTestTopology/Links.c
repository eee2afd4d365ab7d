/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CTestTopology.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

/* Values that older headers lack. */
#ifndef TUNSETCARRIER
#define TUNSETCARRIER _IOW('T', 226, int) /* linux/if_tun.h, Linux 5.0 */
#endif
#ifndef IFF_NO_CARRIER
#define IFF_NO_CARRIER 0x0040 /* linux/if_tun.h, Linux 6.0 */
#endif

int topology_enter_new_network(void) {
    return unshare(CLONE_NEWNET);
}

int topology_enter_new_network_with_sysfs(void) {
    if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) return -1;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
    return mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

int topology_open_tun(const char *name, int layer2, int carrier) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    if (strlen(name) >= sizeof request.ifr_name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(request.ifr_name, name);
    request.ifr_flags = (short)((layer2 ? IFF_TAP : IFF_TUN) | IFF_NO_PI | (carrier ? 0 : IFF_NO_CARRIER));
    int descriptor = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return -1;
    if (ioctl(descriptor, TUNSETIFF, &request) != 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

int topology_set_link_type(int descriptor, int type) {
    return ioctl(descriptor, TUNSETLINK, (unsigned long)type);
}

int topology_set_carrier(int descriptor, int carrier) {
    return ioctl(descriptor, TUNSETCARRIER, &carrier);
}
