/* SPDX-License-Identifier: Apache-2.0
 *
 * The scenes' driver for Apple's functions from C: questions, and watching on the library's own thread. See
 * Tests/Scenes/README.md for the lines it reads and writes.
 */
#include <SystemConfiguration/SystemConfiguration.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { largest_line = 512 };

static void fail(const char *what) {
    fprintf(stderr, "scene-systemconfiguration-c: %s: %s\n", what, SCErrorString(SCError()));
    exit(1);
}

typedef union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} socket_address;

/* "ADDRESS[%INTERFACE]", which is changed; NULL for none. */
static const struct sockaddr *read_address(char *text, socket_address *address) {
    if (!text || !*text) return NULL;
    memset(address, 0, sizeof *address);
    address->any.sa_family = AF_INET;
    if (inet_pton(AF_INET, text, &address->four.sin_addr) == 1) return &address->any;
    address->any.sa_family = AF_INET6;
    char *interface = strchr(text, '%');
    if (interface) {
        *interface++ = '\0';
        address->six.sin6_scope_id = if_nametoindex(interface);
        if (address->six.sin6_scope_id == 0) address->six.sin6_scope_id = (unsigned int)strtoul(interface, NULL, 10);
    }
    if (inet_pton(AF_INET6, text, &address->six.sin6_addr) != 1) fail(text);
    return &address->any;
}

/* "ADDRESS", "[LOCAL],[REMOTE]" or "default". */
static SCNetworkReachabilityRef make_target(const char *question) {
    char words[largest_line];
    socket_address local, remote;
    SCNetworkReachabilityRef target;

    snprintf(words, sizeof words, "%s", strcmp(question, "default") == 0 ? "0.0.0.0" : question);
    char *comma = strchr(words, ',');
    if (comma) {
        *comma = '\0';
        target = SCNetworkReachabilityCreateWithAddressPair(
            NULL, read_address(words, &local), read_address(comma + 1, &remote));
    } else {
        target = SCNetworkReachabilityCreateWithAddress(NULL, read_address(words, &remote));
    }
    if (!target) fail(question);
    return target;
}

static void answer(const char *question) {
    SCNetworkReachabilityRef target = make_target(question);
    SCNetworkReachabilityFlags flags;
    char name[IF_NAMESIZE];

    if (!SCNetworkReachabilityGetFlags(target, &flags)) fail(question);
    int interface = SCNetworkReachabilityGetInterfaceIndex(target);
    if (interface <= 0 || !if_indextoname((unsigned int)interface, name)) strcpy(name, "none");
    /* One call for a line: the library's thread writes, too. */
    printf("answer flags=%u interface=%s\n", flags, name);
    SCNetworkReachabilityRelease(target);
}

static void tell(SCNetworkReachabilityRef target, SCNetworkReachabilityFlags flags, void *question) {
    (void)target;
    printf("told SC-thread %s -> flags=%u\n", (char *)question, flags);
}

static void watch(const char *question) {
    SCNetworkReachabilityRef target = make_target(question);
    SCNetworkReachabilityContext context = { .info = strdup(question) };

    if (!SCNetworkReachabilitySetCallback(target, tell, &context) || !SCNetworkReachabilityScheduleOnThread(target))
        fail(question);
    /* It stays scheduled until the program ends. */
    SCNetworkReachabilityRelease(target);
    printf("watching %s\n", question);
}

int main(void) {
    char line[largest_line];

    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "ask ", 4) == 0) {
            answer(line + 4);
        } else if (strncmp(line, "watch ", 6) == 0) {
            watch(line + 6);
        } else {
            fail(line);
        }
    }
    return 0;
}
