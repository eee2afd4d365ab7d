// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Finds out from NetworkManager by which metered interface packets leave this machine, what its check of the Internet
/// found, and when that changes. Bytes from the bus come in, actions come out; no I/O.
///
/// The client trusts two senders only: the bus, whose name no other process can have, and the process that the bus
/// calls the owner of NetworkManager's name. A signal only tells that something has changed. The client then asks for
/// the value.
package struct NetworkManagerClient: Sendable {
    package enum Action: Hashable, Sendable {
        case send([UInt8])
        /// NetworkManager now says this. Given as soon as all of it has been found out, and at each change.
        case report(NetworkManager.Report)
        /// Close the connection. No action comes after this.
        case hangUp
    }

    private var stream = BusStream()
    private var limit = ReceiveLimit()
    private var handshake: BusHandshake? = BusHandshake()
    private var lastSerial: UInt32 = 0
    private var openQuestions: [UInt32: Question] = [:]
    /// The unique name of the process that owns NetworkManager's name.
    private var owner: String?
    /// What has been found out since the open questions were asked.
    private var findings = NetworkManager.Report()
    /// The last report that was given to the caller. Nil before the first.
    private var reported: NetworkManager.Report?
    /// Whether something has changed since the open questions were asked.
    private var isStale = false

    package init() {}

    package func start() -> [Action] { [.send(BusHandshake.opening)] }

    /// Takes bytes from the bus. Do not call it after `hangUp`.
    package mutating func receive(_ bytes: some Collection<UInt8>, at now: BootTime) -> [Action] {
        guard limit.add(bytes.count, at: now) else { return [.hangUp] }
        stream.append(bytes)
        var actions: [Action] = []
        do throws(BusError) {
            while handshake != nil, let line = try stream.nextLine() {
                actions += handle(line)
                if actions.last == .hangUp { return actions }
            }
            while handshake == nil, let message = try stream.nextMessage() {
                actions += handle(message)
                if actions.last == .hangUp { return actions }
            }
            return actions
        } catch {
            // After one unreadable message it is not known where the next begins.
            return actions + [.hangUp]
        }
    }

    private mutating func handle(_ line: String) -> [Action] {
        switch handshake?.take(line) {
        case .send(let bytes): return [.send(bytes)]
        case .done(let bytes):
            handshake = nil
            // All at once, as the bus answers in order.
            return [.send(bytes)] + ask(.welcome, .ownerChanges, .propertyChanges, .owner)
        case .refused, nil: return [.hangUp]
        }
    }

    private mutating func handle(_ message: BusMessage) -> [Action] {
        switch message.kind {
        case .reply, .failure:
            guard let serial = message.replySerial, let question = openQuestions[serial],
                message.sender == Bus.name || question.isForManager && message.sender == owner
            else { return [] }
            openQuestions[serial] = nil
            return handle(message, answering: question)
        case .signal: return handle(signal: message)
        default: return []
        }
    }

    // MARK: Answers

    private mutating func handle(_ message: BusMessage, answering question: Question) -> [Action] {
        guard message.kind == .reply else {
            switch question {
            case .welcome, .ownerChanges, .propertyChanges: return [.hangUp]
            // NetworkManager is not running.
            case .owner: return report(NetworkManager.Report())
            case .isMetered, .checksConnectivity, .connectivity, .primaryConnection, .device, .interface:
                return conclude()
            }
        }
        do throws(BusError) {
            switch question {
            case .welcome, .ownerChanges, .propertyChanges: return []
            case .owner: return setOwner(try message.texts(1)[0])
            case .isMetered:
                return NetworkManager.isMetered(try message.propertyNumber()) ? ask(.primaryConnection) : conclude()
            case .checksConnectivity: return try message.propertyFlag() ? ask(.connectivity) : conclude()
            case .connectivity:
                findings.connectivity = NetworkManager.Connectivity(rawValue: try message.propertyNumber()) ?? .unknown
                return conclude()
            case .primaryConnection:
                let connection = try message.propertyText()
                return connection == "/" ? conclude() : ask(.device(connection: connection))
            case .device:
                guard let device = try message.propertyFirstPath() else { return conclude() }
                return ask(.interface(device: device))
            case .interface:
                let name = try message.propertyText()
                findings.meteredInterface = name.isEmpty ? nil : name
                return conclude()
            }
        } catch {
            return question.isForManager ? conclude() : [.hangUp]
        }
    }

    /// Asks NetworkManager for everything anew.
    private mutating func askManager() -> [Action] {
        findings = NetworkManager.Report()
        isStale = false
        return ask(.isMetered, .checksConnectivity)
    }

    /// Reports the findings if the last question to NetworkManager was answered.
    private mutating func conclude() -> [Action] {
        guard !hasQuestionToManager else { return [] }
        let wasStale = isStale
        return report(findings) + (wasStale ? askManager() : [])
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
            guard message.path == NetworkManager.path, (try? message.texts(1)) == [NetworkManager.name] else {
                return []
            }
            if hasQuestionToManager {
                isStale = true
                return []
            }
            return askManager()
        default: return []
        }
    }

    /// The name has another owner, or none. All answers of the last owner become invalid, also those still to come.
    private mutating func setOwner(_ name: String) -> [Action] {
        let newOwner = name.isEmpty ? nil : name
        guard newOwner != owner else { return [] }
        owner = newOwner
        openQuestions = openQuestions.filter { !$0.value.isForManager }
        isStale = false
        guard newOwner != nil else { return report(NetworkManager.Report()) }
        // Before the first report, the answer is worth waiting for.
        return (reported != nil ? report(NetworkManager.Report()) : []) + askManager()
    }

    private mutating func ask(_ questions: Question...) -> [Action] {
        questions.map { question in
            // 0 is not a valid serial.
            lastSerial = lastSerial == .max ? 1 : lastSerial + 1
            openQuestions[lastSerial] = question
            return .send(question.message(serial: lastSerial, manager: owner ?? NetworkManager.name).encoded)
        }
    }
}
