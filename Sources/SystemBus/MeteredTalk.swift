// SPDX-License-Identifier: Apache-2.0

/// Finds out by which metered interface packets leave this machine, in NetworkManager's opinion, and when that changes.
/// Messages come in, actions come out; no I/O.
///
/// What a signal says is not believed but asked about: it only tells that something has changed. Only two are
/// listened to: the bus, whose name nobody else can have, and whoever the bus says owns NetworkManager's name. Nothing
/// that anybody else may send is taken for an answer or a change.
package struct MeteredTalk: Sendable {
    package enum Action: Hashable, Sendable {
        case say(BusMessage)
        /// The metered interface is now this one; none, or nobody knows. Said as soon as one has found out, and at each
        /// change.
        case metered(String?)
        /// It is of no use to talk on.
        case giveUp
    }

    private var serial: UInt32 = 0
    private var questions: [UInt32: MeteredQuestion] = [:]
    private var owner: String?
    private var told: String??
    /// Something has changed while it was being asked about.
    private var isStale = false

    package init() {}

    /// What one says once one is let in, all at once: the bus answers in order.
    package mutating func begin() -> [Action] {
        ask(.welcome, .ownerChanges, .propertyChanges, .owner)
    }

    package mutating func take(_ message: BusMessage) -> [Action] {
        switch message.kind {
        case .reply, .failure:
            guard let number = message.replySerial, let question = questions[number],
                message.sender == Bus.name || question.isForManager && message.sender == owner
            else { return [] }
            questions[number] = nil
            return answer(to: question, message)
        case .signal: return signal(message)
        default: return []
        }
    }

    // MARK: Answers

    private mutating func answer(to question: MeteredQuestion, _ message: BusMessage) -> [Action] {
        guard message.kind == .reply else {
            switch question {
            case .welcome, .ownerChanges, .propertyChanges: return [.giveUp]
            // Nobody owns the name.
            case .owner: return tell(nil)
            case .isMetered, .primaryConnection, .device, .interface: return conclude(nil)
            }
        }
        do throws(BusError) {
            switch question {
            case .welcome, .ownerChanges, .propertyChanges: return []
            case .owner: return take(owner: try message.texts(1)[0])
            case .isMetered:
                return Manager.isMetered(try message.propertyNumber()) ? ask(.primaryConnection) : conclude(nil)
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
            return question.isForManager ? conclude(nil) : [.giveUp]
        }
    }

    private mutating func conclude(_ interface: String?) -> [Action] {
        let wasStale = isStale
        isStale = false
        return tell(interface) + (wasStale ? ask(.isMetered) : [])
    }

    private mutating func tell(_ interface: String?) -> [Action] {
        guard told != .some(interface) else { return [] }
        told = .some(interface)
        return [.metered(interface)]
    }

    // MARK: Changes

    private mutating func signal(_ message: BusMessage) -> [Action] {
        switch (message.sender, message.interface, message.member) {
        case (Bus.name, Bus.name, "NameOwnerChanged"):
            guard let names = try? message.texts(3), names[0] == Manager.name else { return [] }
            return take(owner: names[2])
        case (owner?, Bus.properties, "PropertiesChanged"):
            guard message.path == Manager.path, (try? message.texts(1)) == [Manager.name] else { return [] }
            if questions.values.contains(where: \.isForManager) {
                isStale = true
                return []
            }
            return ask(.isMetered)
        default: return []
        }
    }

    /// Another NetworkManager than before, or none. What the last one said is void, and what it may still say.
    private mutating func take(owner: String) -> [Action] {
        let owner = owner.isEmpty ? nil : owner
        guard owner != self.owner else { return [] }
        self.owner = owner
        questions = questions.filter { !$0.value.isForManager }
        isStale = false
        // Who has only just begun finds out first.
        return (owner == nil || told != nil ? tell(nil) : []) + (owner == nil ? [] : ask(.isMetered))
    }

    private mutating func ask(_ questions: MeteredQuestion...) -> [Action] {
        questions.map { question in
            // 0 is no serial.
            serial = serial == .max ? 1 : serial + 1
            self.questions[serial] = question
            return .say(question.message(serial: serial, manager: owner ?? Manager.name))
        }
    }
}
