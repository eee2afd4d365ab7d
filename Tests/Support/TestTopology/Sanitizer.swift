// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The sanitizers of this build (`make sanitize`). A test that cannot run under one has a trait that says so, and is listed
/// with its reason at the end of the run.
package enum Sanitizer {
    package static let isOn = unsafe dlsym(nil, "__sanitizer_set_report_fd") != nil
    /// Thread Sanitizer, under which the child of a fork cannot have threads.
    package static let isThread = unsafe dlsym(nil, "__tsan_acquire") != nil
}
