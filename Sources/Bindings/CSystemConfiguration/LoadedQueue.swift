// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

// This library is given objects of a C program: queues, run loops, strings. These belong to the libdispatch and the
// CoreFoundation that the program has loaded, and only the functions of the same copy may use them. So the functions are
// looked up in the program at run time. This library's own copies, part of the static Swift runtime when it is installed, are
// not visible to the program.

/// Looks up a function of the libraries that the program has loaded.
func loaded<Function>(_ name: String, as type: Function.Type) -> Function? {
    unsafe dlsym(nil, name).map { unsafe unsafeBitCast($0, to: type) }
}

/// A queue of the libdispatch that the program has loaded.
@safe
final class LoadedQueue: @unchecked Sendable {  // queues may be used from any thread (dispatch_queue_create(3))
    private typealias Hold = @convention(c) (UnsafeMutableRawPointer) -> Void
    private typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private typealias Submit = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer?, Function) -> Void

    private let queue: UnsafeMutableRawPointer
    private let submit: Submit
    private let release: Hold

    /// Nil if there is no libdispatch, as then the pointer cannot be a queue.
    init?(_ queue: UnsafeMutableRawPointer) {
        guard let retain = unsafe loaded("dispatch_retain", as: Hold.self),
            let release = unsafe loaded("dispatch_release", as: Hold.self),
            let submit = unsafe loaded("dispatch_async_f", as: Submit.self)
        else { return nil }
        unsafe retain(queue)
        unsafe self.queue = queue
        unsafe self.release = release
        unsafe self.submit = submit
    }

    deinit {
        unsafe release(queue)
    }

    func deliver(_ work: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(Work(work)).toOpaque()
        unsafe submit(queue, box) { box in
            unsafe Unmanaged<Work>.fromOpaque(box!).takeRetainedValue().run()
        }
    }

    /// A closure for a C callback.
    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
