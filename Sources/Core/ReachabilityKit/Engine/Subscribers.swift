// SPDX-License-Identifier: Apache-2.0

/// The subscribers of one watch, in no order. Most watches have one, which is stored without a table. Adding and removing
/// take the same time however many there are.
enum Subscribers {
    case none
    case one(any WatchSubscriber)
    case several([ObjectIdentifier: any WatchSubscriber])

    var isEmpty: Bool { if case .none = self { true } else { false } }

    mutating func add(_ subscriber: any WatchSubscriber) {
        switch self {
        case .none: self = .one(subscriber)
        case .one(let first):
            self = .several([ObjectIdentifier(first): first, ObjectIdentifier(subscriber): subscriber])
        case .several(var all):
            // The table must have one owner only, or changing it copies it.
            self = .none
            all[ObjectIdentifier(subscriber)] = subscriber
            self = .several(all)
        }
    }

    mutating func remove(_ subscriber: any WatchSubscriber) {
        switch self {
        case .none: break
        case .one(let only): if only === subscriber { self = .none }
        case .several(var all):
            self = .none
            all[ObjectIdentifier(subscriber)] = nil
            self = all.count == 1 ? .one(all.first!.value) : .several(all)
        }
    }

    func forEach(_ body: (any WatchSubscriber) -> Void) {
        switch self {
        case .none: break
        case .one(let only): body(only)
        case .several(let all): for subscriber in all.values { body(subscriber) }
        }
    }
}
