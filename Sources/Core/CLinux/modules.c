/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE
#include "CLinux.h"

#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

/* Weak, so that a fully static program does not contain the loader. */
extern __typeof__(dladdr) dladdr __attribute__((weak));

int clinux_are_of_one_object(const void *const *functions, int count) {
    const void *base = NULL;
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (dladdr == NULL || dladdr(functions[i], &info) == 0 || info.dli_saddr != functions[i]) continue;
        if (base != NULL && info.dli_fbase != base) return 0;
        base = info.dli_fbase;
    }
    return 1;
}

#ifdef __GLIBC__
#include <errno.h>
#include <nss.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

/* Weak for the same reason. */
extern __typeof__(dlopen) dlopen __attribute__((weak));
extern __typeof__(dlsym) dlsym __attribute__((weak));

static int add(struct clinux_found *found, int family, const void *address, uint32_t scope) {
    if (found->count == clinux_found_limit) return 0;
    struct clinux_found_address *next = &found->addresses[found->count++];
    next->family = family;
    next->scope = family == AF_INET6 ? scope : 0;
    memcpy(next->bytes, address, family == AF_INET ? 4 : 16);
    return 1;
}

typedef enum nss_status by_name4(
    const char *, struct gaih_addrtuple **, char *, size_t, int *, int *, int32_t *);
typedef enum nss_status by_name3(
    const char *, int, struct hostent *, char *, size_t, int *, int *, int32_t *, char **);
typedef enum nss_status by_name2(const char *, int, struct hostent *, char *, size_t, int *, int *);

/* A static program has no interpreter (getauxval(3), AT_BASE), and cannot load a library that needs libc. */
int clinux_can_load_modules(void) {
    return dlopen != NULL && dlsym != NULL && getauxval(AT_BASE) != 0;
}

static void *function(void *library, const char *module, const char *name) {
    char symbol[96];
    int length = snprintf(symbol, sizeof symbol, "_nss_%s_%s", module, name);
    return length > 0 && (size_t)length < sizeof symbol ? dlsym(library, symbol) : NULL;
}

static enum nss_status ask4(by_name4 *call, const char *name, char *memory, size_t size, struct clinux_found *found) {
    struct gaih_addrtuple *tuple = NULL;
    int error = 0, host_error = 0;
    int32_t ttl = -1;
    enum nss_status status = call(name, &tuple, memory, size, &error, &host_error, &ttl);
    errno = error;
    if (status != NSS_STATUS_SUCCESS) return status;
    if (ttl >= 0) found->ttl = ttl;
    for (; tuple; tuple = tuple->next)
        if (tuple->family == AF_INET || tuple->family == AF_INET6)
            add(found, tuple->family, tuple->addr, tuple->scopeid);
    return status;
}

static enum nss_status ask3(
    by_name3 *three, by_name2 *two, const char *name, int family, char *memory, size_t size,
    struct clinux_found *found) {
    struct hostent host;
    memset(&host, 0, sizeof host);
    int error = 0, host_error = 0;
    int32_t ttl = -1;
    enum nss_status status = three ? three(name, family, &host, memory, size, &error, &host_error, &ttl, NULL)
                                   : two(name, family, &host, memory, size, &error, &host_error);
    errno = error;
    if (status != NSS_STATUS_SUCCESS) return status;
    if (ttl >= 0) found->ttl = ttl;
    for (char **address = host.h_addr_list; host.h_addrtype == family && address && *address; address++)
        add(found, family, *address, 0);
    return status;
}

static enum nss_status ask(
    void *library, const char *module, const char *name, int family, char *memory, size_t size,
    struct clinux_found *found) {
    found->count = 0;
    by_name4 *four = (by_name4 *)function(library, module, "gethostbyname4_r");
    if (four && family == AF_UNSPEC) return ask4(four, name, memory, size, found);
    by_name3 *three = (by_name3 *)function(library, module, "gethostbyname3_r");
    by_name2 *two = (by_name2 *)function(library, module, "gethostbyname2_r");
    if (!three && !two) return NSS_STATUS_UNAVAIL;
    if (family != AF_UNSPEC) return ask3(three, two, name, family, memory, size, found);
    enum nss_status six = ask3(three, two, name, AF_INET6, memory, size, found);
    if (six == NSS_STATUS_TRYAGAIN && errno == ERANGE) return six;
    enum nss_status four_status = ask3(three, two, name, AF_INET, memory, size, found);
    if (four_status == NSS_STATUS_TRYAGAIN && errno == ERANGE) return four_status;
    return found->count > 0 ? NSS_STATUS_SUCCESS : four_status;
}

int clinux_ask_module(
    const char *directory, const char *module, const char *name, int family, struct clinux_found *found) {
    found->count = 0;
    found->ttl = -1;
    if (!clinux_can_load_modules()) return NSS_STATUS_UNAVAIL;
    char path[4096];
    int length = snprintf(path, sizeof path, "%s%slibnss_%s.so.2", directory, *directory ? "/" : "", module);
    if (length < 0 || (size_t)length >= sizeof path || strchr(module, '/')) return NSS_STATUS_UNAVAIL;
    /* Never closed, as by libc: a module may have left threads or handlers behind. */
    void *library = dlopen(path, RTLD_NOW);
    if (!library) return NSS_STATUS_UNAVAIL;
    for (size_t size = 1024; size <= 1 << 20; size *= 4) {
        char *memory = malloc(size);
        if (!memory) return NSS_STATUS_TRYAGAIN;
        enum nss_status status = ask(library, module, name, family, memory, size, found);
        int error = errno;
        free(memory);
        if (status != NSS_STATUS_TRYAGAIN || error != ERANGE) return status;
    }
    return NSS_STATUS_TRYAGAIN;
}
#else
/* musl has no nsswitch.conf and no modules. */
int clinux_can_load_modules(void) {
    return 0;
}

int clinux_ask_module(
    const char *directory, const char *module, const char *name, int family, struct clinux_found *found) {
    (void)directory, (void)module, (void)name, (void)family;
    found->count = 0;
    found->ttl = -1;
    return -1;
}
#endif
