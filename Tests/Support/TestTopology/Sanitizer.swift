// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the compiler was told to watch this process with (`make sanitize`). Tests that cannot be under it say so in a
/// trait of theirs, and are listed with their reason at the end of such a run.
package enum Sanitizer {
    package static let isOn = unsafe dlsym(nil, "__sanitizer_set_report_fd") != nil
    /// Thread Sanitizer, under which the child of a fork cannot have threads.
    package static let isThread = unsafe dlsym(nil, "__tsan_acquire") != nil
}
