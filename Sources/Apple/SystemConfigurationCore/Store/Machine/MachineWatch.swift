// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem

/// Watches the names of the machine and the user at its seat. Confined to the thread of its loop.
final class MachineWatch: @unchecked Sendable {
    private let files: MachineFiles
    private let loop: EventLoop
    private let changed: () -> Void
    private var watch: FileWatch
    /// Nil where /proc is missing.
    private let hostName: HostNameEvents?

    init(_ files: MachineFiles, on loop: EventLoop, changed: @escaping () -> Void) {
        self.files = files
        self.loop = loop
        self.changed = changed
        watch = FileWatch(paths: files.watched)
        hostName = try? HostNameEvents()
        watchFiles()
        if let hostName {
            try? loop.watch(hostName.rawDescriptor, for: []) { [weak self] _ in self?.changed() }
        }
    }

    func end() {
        if let hostName { loop.unwatch(hostName.rawDescriptor) }
        unwatchFiles()
    }

    /// Looks at the files if no event would tell of a change: where inotify is exhausted. The caller is awake for another
    /// reason.
    func lookWithoutEvents() {
        if watch.rawDescriptor == nil { look() }
    }

    private func look() {
        guard !watch.isUnchanged else { return }
        unwatchFiles()
        // Before the files are read, so that a change in between is an event.
        watch = FileWatch(paths: files.watched)
        watchFiles()
        changed()
    }

    private func watchFiles() {
        guard let descriptor = watch.rawDescriptor else { return }
        try? loop.watch(descriptor, for: .readable) { [weak self] _ in self?.look() }
    }

    private func unwatchFiles() {
        if let descriptor = watch.rawDescriptor { loop.unwatch(descriptor) }
    }
}
