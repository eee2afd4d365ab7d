// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityReferences
import ReachabilityResolverFiles

/// Where the names of the machine and the user at its seat are read from. Tests replace the paths.
package struct MachineFiles: Sendable {
    /// machine-info(5)
    package var machineInfo = "/etc/machine-info"
    /// hostname(5)
    package var hostName = "/etc/hostname"
    /// The state of systemd-logind. sd-login(3) reads the same files.
    package var logind = "/run/systemd"
    /// The folders that logind makes for users. Their group is the user's own.
    package var userFolders = "/run/user"

    package init() {}

    /// The files whose changes matter.
    var watched: [String] { [machineInfo, hostName, seat] }

    private var seat: String { "\(logind)/seats/seat0" }

    var names: MachineNames {
        get throws(ReachabilityError) {
            MachineNames(
                kernel: HostIdentity.name, pretty: try assignments(machineInfo)["PRETTY_HOSTNAME"],
                configured: try lines(hostName).first { !$0.hasPrefix("#") && !$0.isEmpty })
        }
    }

    /// The user of the active session at the seat. Nil if there is none, and while a greeter asks for one.
    package var consoleUser: ConsoleUser? {
        get throws(ReachabilityError) {
            let seat = try assignments(seat)
            guard let session = seat["ACTIVE"], !session.contains("/"),
                let userID = seat["ACTIVE_UID"].flatMap(UInt32.init)
            else { return nil }
            let details = try assignments("\(logind)/sessions/\(session)")
            guard details["CLASS"] != "greeter", let name = details["USER"] else { return nil }
            return ConsoleUser(name: name, userID: userID, groupID: group(of: "\(userFolders)/\(userID)"))
        }
    }

    /// The group that owns a file.
    private func group(of path: String) -> UInt32? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_gid : nil
    }

    /// As of the resolver's files (`FileReading`), what is missing, must not be read or is no such file counts as empty. For want of
    /// descriptors or memory nothing is known of it.
    private func lines(_ path: String) throws(ReachabilityError) -> [String] {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try Files.contents(of: path, limit: 1 << 16)
        } catch {
            guard error.isShortage else { return [] }
            throw .kernel("read", path, error)
        }
        return bytes.split(separator: UInt8(ascii: "\n")).map { line in
            var text = String(decoding: line, as: UTF8.self)
            while text.last?.isWhitespace == true { text.removeLast() }
            while text.first?.isWhitespace == true { text.removeFirst() }
            return text
        }
    }

    /// Assignments as a shell reads them, without expansion (os-release(5)). An empty value counts as none.
    private func assignments(_ path: String) throws(ReachabilityError) -> [String: String] {
        var values: [String: String] = [:]
        for line in try lines(path) where !line.hasPrefix("#") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let value = Self.unquoted(line[line.index(after: equals)...])
            values[String(line[..<equals])] = value.isEmpty ? nil : value
        }
        return values
    }

    private static func unquoted(_ text: Substring) -> String {
        guard let quote = text.first, quote == "\"" || quote == "'", text.count > 1, text.last == quote else {
            return String(text)
        }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if character == "\\", quote == "\"", !isEscaped {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
        return result
    }
}

extension StoreSnapshot {
    /// Adds to a state of the network what files say now.
    ///
    /// - Parameter wanted: the keys whose files are read; nil for all.
    init(
        _ network: NetworkState, _ files: MachineFiles, _ proxies: ProxySettings, for wanted: WatchedKeys? = nil
    ) throws(ReachabilityError) {
        self.init(network: network, names: MachineNames(kernel: HostIdentity.name), proxies: proxies)
        if wanted?.contains(StoreKey.computerName) ?? true { names = try files.names }
        if wanted?.contains(StoreKey.consoleUser) ?? true { consoleUser = try files.consoleUser }
    }
}

/// A descriptor that becomes ready when the name of a machine changes (`proc_sys_poll` in fs/proc/proc_sysctl.c). As with
/// `MountTable`, polling consumes the event.
private final class HostNameEvents: Sendable {
    private let descriptor: OwnedDescriptor

    init() throws(Errno) {
        descriptor = try Files.open("/proc/sys/kernel/hostname")
    }

    var rawDescriptor: Int32 { descriptor.rawValue }
}

/// Watches the names of the machine and the user at its seat. Confined to the thread of its loop.
final class MachineWatch: @unchecked Sendable {
    private let files: MachineFiles
    private let loop: EventLoop
    private let changed: () -> Void
    private var watch: FileWatch
    private var wake: FileWake?
    /// Nil where /proc is missing.
    private let hostName: HostNameEvents?

    init(_ files: MachineFiles, on loop: EventLoop, changed: @escaping () -> Void) {
        self.files = files
        self.loop = loop
        self.changed = changed
        watch = FileWatch(paths: files.watched)
        hostName = try? HostNameEvents()
        wake = makeWake()
        if let hostName {
            try? loop.watch(hostName.rawDescriptor, for: []) { [weak self] _ in self?.changed() }
        }
    }

    func end() {
        if let hostName { loop.unwatch(hostName.rawDescriptor) }
        wake?.end()
    }

    /// Looks at the files if no event would tell of a change: where inotify or epoll is exhausted. Then tries to get events from now
    /// on. The caller is awake for another reason.
    func lookWithoutEvents() {
        guard wake?.isOn == false else { return }
        watch.retryEvents()
        wake = makeWake()
        look()
    }

    private func look() {
        guard !watch.isUnchanged else { return }
        wake?.end()
        // Before the files are read, so that a change in between is an event.
        watch = FileWatch(paths: files.watched)
        wake = makeWake()
        changed()
    }

    private func makeWake() -> FileWake { FileWake(watch, on: loop) { [weak self] in self?.look() } }
}
