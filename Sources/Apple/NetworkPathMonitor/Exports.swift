// SPDX-License-Identifier: Apache-2.0

// Handlers are called on dispatch queues, so a source that uses a monitor needs these. Apple's module exports them, too.
@_exported public import Dispatch
