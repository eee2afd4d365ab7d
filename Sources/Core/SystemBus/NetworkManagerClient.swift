// SPDX-License-Identifier: Apache-2.0

/// Finds out from NetworkManager which devices are metered, what its check of the Internet found by each, and when that
/// changes. Bytes from the bus come in, actions come out; no I/O.
///
/// The client trusts two senders only: the bus, whose name no other process can have, and the process that the bus
/// calls the owner of NetworkManager's name. A signal tells which object has changed, and no more. The client then asks
/// that object.
package struct NetworkManagerClient: Sendable {
    package enum Action: Hashable, Sendable {
        case send([UInt8])
        /// NetworkManager now says this. Given as soon as all of it has been found out, and at each change.
        case report(NetworkManager.Report)
        /// Close the connection. No action comes after this.
        case hangUp
    }

    private var stream = BusStream()
    /// The first words of the lines that come before the first message.
    private var handshake = ["DATA", "OK"][...]
    private var lastSerial: UInt32 = 0
    private var openQuestions: [UInt32: Question] = [:]
    /// The unique name of the process that owns NetworkManager's name.
    private var owner: String?
    /// What the owner has said so far.
    private var findings = Findings()
    /// The last report that was given to the caller. Nil before the first.
    private var reported: NetworkManager.Report?

    private struct Findings {
        /// By object path. A device without an active connection has no value in a report.
        var devices: [String: NetworkManager.Device] = [:]
        /// Without checks, NetworkManager says "full" or "limited" of every device.
        var checksConnectivity = false
        /// The objects that have changed since the open questions were asked.
        var stale: Set<String> = []

        var report: NetworkManager.Report {
            Set(
                devices.values.lazy.filter(\.isActive).map { device in
                    var device = device
                    if !checksConnectivity { (device.ipv4, device.ipv6) = (.unknown, .unknown) }
                    return device
                })
        }
    }

    /// A machine with more has containers by the hundred, whose devices NetworkManager does not manage.
    static let deviceLimit = 1000

    package init() {}

    /// A client's first bytes (D-Bus Specification, "Authentication Protocol"). By the mechanism EXTERNAL the bus asks the kernel
    /// for the user; some systems pass credentials with the zero byte. The client names no user, as our user number in a
    /// container's user namespace may differ from the one the bus sees. It waits for no answer, as sd-bus does not.
    package static let opening = Array("\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n".utf8)

    package func start() -> [Action] { [.send(Self.opening)] }

    /// Takes bytes from the bus. Do not call it after `hangUp`.
    package mutating func receive(_ bytes: some Sequence<UInt8>) -> [Action] {
        stream.append(bytes)
        var actions: [Action] = []
        do throws(BusError) {
            while let word = handshake.first, let line = try stream.nextLine() {
                guard line.prefix(while: { $0 != " " }) == word else { return [.hangUp] }
                handshake.removeFirst()
                // All at once, as the bus answers in order.
                if handshake.isEmpty {
                    actions = ask([.welcome] + Question.announcements.map(Question.announcements) + [.owner])
                }
            }
            while handshake.isEmpty, let message = try stream.nextMessage() {
                actions += handle(message)
                if actions.last == .hangUp { return actions }
            }
            return actions
        } catch {
            // After one unreadable message it is not known where the next begins.
            return actions + [.hangUp]
        }
    }

    private mutating func handle(_ message: BusMessage) -> [Action] {
        switch message.kind {
        case .reply, .failure:
            guard let serial = message.replySerial, let question = openQuestions[serial],
                message.sender == Bus.name || question.isForManager && message.sender == owner
            else { return [] }
            openQuestions[serial] = nil
            return question.isForManager ? take(message, answering: question) : handle(message, fromBus: question)
        case .signal: return handle(signal: message)
        default: return []
        }
    }

    private mutating func ask(_ questions: [Question]) -> [Action] {
        questions.map { question in
            // 0 is not a valid serial.
            lastSerial = lastSerial == .max ? 1 : lastSerial + 1
            openQuestions[lastSerial] = question
            return .send(question.message(serial: lastSerial, manager: owner ?? NetworkManager.name).encoded)
        }
    }

    // MARK: Answers

    private mutating func handle(_ message: BusMessage, fromBus question: Question) -> [Action] {
        guard question == .owner else { return message.kind == .reply ? [] : [.hangUp] }
        // NetworkManager is not running.
        guard message.kind == .reply else { return report([]) }
        guard let name = try? message.texts(1)[0] else { return [.hangUp] }
        return setOwner(name)
    }

    /// What cannot be read, or is refused, is unknown.
    private mutating func take(_ message: BusMessage, answering question: Question) -> [Action] {
        let answer = message.kind == .reply ? message : BusMessage(.reply, serial: message.serial)
        switch question {
        case .welcome, .announcements, .owner: return []
        case .devices:
            let paths = (answer.propertyPaths ?? []).prefix(Self.deviceLimit)
            for path in paths { findings.devices[path] = NetworkManager.Device() }
            if !paths.isEmpty { return ask(paths.map { .device($0, .connection) }) }
        case .checksConnectivity: findings.checksConnectivity = answer.propertyFlag ?? false
        case .device(let path, .connection):
            guard findings.devices[path] != nil else { break }
            let connection = answer.propertyText ?? "/"
            findings.devices[path] = NetworkManager.Device(connection: connection == "/" ? "" : connection)
            guard connection != "/" else { break }
            return ask(DeviceProperty.allCases.dropFirst().map { .device(path, $0) })
        case .device(let path, .interface):
            findings.devices[path]?.interface = answer.propertyText ?? ""
        case .device(let path, .metered):
            findings.devices[path]?.isMetered = answer.propertyNumber.map(NetworkManager.isMetered) ?? false
        case .device(let path, .ipv4): findings.devices[path]?.ipv4 = answer.connectivity
        case .device(let path, .ipv6): findings.devices[path]?.ipv6 = answer.connectivity
        }
        return conclude()
    }

    /// Reports the findings if the last question to NetworkManager was answered, and nothing has changed meanwhile: the answers
    /// may be partly from before that change and partly from after it.
    private mutating func conclude() -> [Action] {
        guard !hasQuestionToManager else { return [] }
        let stale = findings.stale
        findings.stale = []
        let questions = stale.flatMap { askAgain($0) }
        return questions.isEmpty ? report(findings.report) : questions
    }

    private mutating func report(_ report: NetworkManager.Report) -> [Action] {
        guard reported != report else { return [] }
        reported = report
        return [.report(report)]
    }

    private var hasQuestionToManager: Bool { openQuestions.values.contains(where: \.isForManager) }

    // MARK: Changes

    private mutating func handle(signal message: BusMessage) -> [Action] {
        switch (message.sender, message.interface, message.member) {
        case (Bus.name, Bus.name, "NameOwnerChanged"):
            guard let names = try? message.texts(3), names[0] == NetworkManager.name else { return [] }
            return setOwner(names[2])
        case (owner?, Bus.properties, "PropertiesChanged"):
            return message.path.map { changed($0) } ?? []
        case (owner?, NetworkManager.name, "DeviceAdded"):
            return (try? message.texts(1)).map { add($0[0]) } ?? []
        case (owner?, NetworkManager.name, "DeviceRemoved"):
            guard let device = try? message.texts(1)[0] else { return [] }
            findings.devices[device] = nil
            return conclude()
        default: return []
        }
    }

    private mutating func add(_ device: String) -> [Action] {
        guard findings.devices.count < Self.deviceLimit || findings.devices[device] != nil else { return [] }
        findings.devices[device] = findings.devices[device] ?? NetworkManager.Device()
        return changed(device)
    }

    private mutating func changed(_ object: String) -> [Action] {
        guard object == NetworkManager.path || findings.devices[object] != nil else { return [] }
        guard !hasQuestionToManager else {
            findings.stale.insert(object)
            return []
        }
        return askAgain(object)
    }

    private mutating func askAgain(_ object: String) -> [Action] {
        if object == NetworkManager.path { return ask([.checksConnectivity]) }
        return findings.devices[object] == nil ? [] : ask([.device(object, .connection)])
    }

    /// The name has another owner, or none. All answers of the last owner become invalid, also those still to come.
    private mutating func setOwner(_ name: String) -> [Action] {
        let newOwner = name.isEmpty ? nil : name
        guard newOwner != owner else { return [] }
        owner = newOwner
        openQuestions = openQuestions.filter { !$0.value.isForManager }
        findings = Findings()
        guard newOwner != nil else { return report([]) }
        // Before the first report, the answer is worth waiting for.
        return (reported != nil ? report([]) : []) + ask([.checksConnectivity, .devices])
    }
}

extension BusMessage {
    /// The connectivity that a property says.
    fileprivate var connectivity: NetworkManager.Connectivity {
        propertyNumber.flatMap(NetworkManager.Connectivity.init) ?? .unknown
    }
}
