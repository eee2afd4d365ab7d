// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Finds out from NetworkManager by which metered interface packets leave this machine, and when that changes. Bytes
/// from the bus come in, actions come out; no I/O.
///
/// The client trusts two senders only: the bus, whose name no other process can have, and the process that the bus
/// calls the owner of NetworkManager's name. A signal only tells that something has changed. The client then asks for
/// the value.
package struct NetworkManagerClient: Sendable {
    package enum Action: Hashable, Sendable {
        case send([UInt8])
        /// The metered interface is now this one. Nil if there is none, or if it is not known. Given as soon as it has
        /// been found out, and at each change.
        case metered(String?)
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
    /// The last interface that was given to the caller. Nil before the first.
    private var reported: String??
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
            case .owner: return report(nil)
            case .isMetered, .primaryConnection, .device, .interface: return conclude(nil)
            }
        }
        do throws(BusError) {
            switch question {
            case .welcome, .ownerChanges, .propertyChanges: return []
            case .owner: return setOwner(try message.texts(1)[0])
            case .isMetered:
                return NetworkManager.isMetered(try message.propertyNumber())
                    ? ask(.primaryConnection) : conclude(nil)
            case .primaryConnection:
                let connection = try message.propertyText()
                return connection == "/" ? conclude(nil) : ask(.device(connection: connection))
            case .device:
                guard let device = try message.propertyFirstPath() else { return conclude(nil) }
                return ask(.interface(device: device))
            case .interface:
                let name = try message.propertyText()
                return conclude(name.isEmpty ? nil : name)
            }
        } catch {
            return question.isForManager ? conclude(nil) : [.hangUp]
        }
    }

    private mutating func conclude(_ interface: String?) -> [Action] {
        let wasStale = isStale
        isStale = false
        return report(interface) + (wasStale ? ask(.isMetered) : [])
    }

    private mutating func report(_ interface: String?) -> [Action] {
        guard reported != .some(interface) else { return [] }
        reported = .some(interface)
        return [.metered(interface)]
    }

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
            if openQuestions.values.contains(where: \.isForManager) {
                isStale = true
                return []
            }
            return ask(.isMetered)
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
        guard newOwner != nil else { return report(nil) }
        // Before the first report, the answer is worth waiting for.
        return (reported != nil ? report(nil) : []) + ask(.isMetered)
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
