/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a bare `swift test` safe. Scripts/test runs the tests in the sandbox, and in the environment that is set here.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>

#include "CTestSandbox.h"

/* Constructors run before main, while the process has one thread. */
__attribute__((constructor(101))) static void enter_before_main(void) {
    if (getenv("TEST_SANDBOX")) return;
    test_sandbox_enter();
    setenv("REACHABILITY_NO_REPETITIONS", "1", 0);
}
