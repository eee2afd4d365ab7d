/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces malloc(3) and its relatives in a program that links this, and counts their calls.
 */
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/* How often the calling thread has allocated memory so far. */
long allocations_of_this_thread(void);

#endif
