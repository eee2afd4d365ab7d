/* SPDX-License-Identifier: Apache-2.0
 *
 * The least work with which a name can be resolved: c-ares alone. And a name server on loopback that costs next to nothing,
 * so that the difference between two clients shows.
 */
#ifndef CNAMELIMITS_H
#define CNAMELIMITS_H

#include <stdint.h>

/* Starts a thread that answers every question for A with 20.1.2.3 and every other with "no data", on 127.0.0.1 in the
 * namespace of the caller. Returns its port or -errno. One at a time. */
int names_start_server(void);
void names_stop_server(void);

/* Opens a port on 127.0.0.1 in the namespace of the caller where questions are never read. Returns it or -errno. It stays
 * open until the process ends. */
int names_open_silent_port(void);

/* Nanoseconds for one of `count` distinct names (n<first>.example and so on), one after the other, on one channel; each
 * in both families. Negative if one could not be resolved. */
double names_resolve(int port, int first, int count);

/* The same with a hundred at once. */
double names_resolve_at_once(int port, int first, int count);

#endif
