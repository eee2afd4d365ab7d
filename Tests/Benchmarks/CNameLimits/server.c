/* SPDX-License-Identifier: Apache-2.0 */
#include "CNameLimits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_t thread;
static int descriptor = -1;

/* Turns a question into its answer. After the header of twelve bytes there is one question with an uncompressed name
 * (RFC 1035 4.1). Returns the answer's length; 0 for no answer. */
static size_t answer(unsigned char *message, size_t length, size_t capacity) {
    static const unsigned char record[] = {0xC0, 12, 0, 1, 0, 1, 0, 0, 0x0E, 0x10, 0, 4, 20, 1, 2, 3};
    size_t end = 12;
    while (end < length && message[end] != 0) end += message[end] + 1u;
    end += 5; /* the root, the type, the class */
    if (end > length || end + sizeof record > capacity) return 0;
    int is_ipv4 = message[end - 3] == 1;
    message[2] = 0x84 | (message[2] & 1); /* an answer, authoritative */
    message[3] = 0x80;                    /* recursion available, no error */
    memset(message + 6, 0, 6);
    message[7] = (unsigned char)is_ipv4;
    if (!is_ipv4) return end;
    memcpy(message + end, record, sizeof record);
    return end + sizeof record;
}

static void *serve(void *unused) {
    unsigned char message[1500];
    struct sockaddr_in client;
    for (;;) {
        socklen_t size = sizeof client;
        ssize_t length = recvfrom(descriptor, message, sizeof message, 0, (struct sockaddr *)&client, &size);
        if (length < 12) {
            if (length < 0 && errno == EINTR) continue;
            return unused; /* an empty datagram ends the service */
        }
        size_t count = answer(message, (size_t)length, sizeof message);
        if (count > 0) sendto(descriptor, message, count, 0, (struct sockaddr *)&client, size);
    }
}

static struct sockaddr_in address;

int names_start_server(void) {
    socklen_t size = sizeof address;
    int queue = 4 << 20;
    address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &queue, sizeof queue);
    if (bind(descriptor, (struct sockaddr *)&address, size) != 0 ||
        getsockname(descriptor, (struct sockaddr *)&address, &size) != 0)
        return -errno;
    int status = -pthread_create(&thread, NULL, serve, NULL);
    return status < 0 ? status : ntohs(address.sin_port);
}

void names_stop_server(void) {
    sendto(descriptor, "", 0, 0, (struct sockaddr *)&address, sizeof address);
    pthread_join(thread, NULL);
    close(descriptor);
}

int names_open_silent_port(void) {
    struct sockaddr_in silent = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof silent;
    int deaf = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (deaf < 0 || bind(deaf, (struct sockaddr *)&silent, size) != 0 ||
        getsockname(deaf, (struct sockaddr *)&silent, &size) != 0)
        return -errno;
    return ntohs(silent.sin_port);
}
