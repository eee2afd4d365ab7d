/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTESTSANDBOX_H
#define CTESTSANDBOX_H

/* Moves this process into a network of its own, so that it cannot change that of the machine.
 *
 * The process gets a network namespace with nothing but lo, and a mount namespace in which /sys shows that network. An ordinary
 * user also gets a user namespace with root privileges. The process must have one thread only, because unshare(CLONE_NEWUSER)
 * fails otherwise (unshare(2)). Where this is not allowed, the process ends with a sentence that says what to do.
 *
 * The variable TEST_SANDBOX of the environment says that it has happened, to this process and to its children.
 */
void test_sandbox_enter(void);

#endif
