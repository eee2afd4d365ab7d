/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the place of malloc(3) and its kin in a program that links this, and counts how often they are called.
 */
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/* How often the calling thread has asked for memory so far. */
long allocations_of_this_thread(void);

#endif
