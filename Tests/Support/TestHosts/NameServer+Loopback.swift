// SPDX-License-Identifier: Apache-2.0

@_exported public import ReachabilityTestMachines

extension NameServer {
    /// Makes a server on 127.0.0.1. What fails is a mistake of the test, and traps.
    ///
    /// - Parameter wanted: the port; 0 for one that the kernel chooses.
    package convenience init(port wanted: UInt16 = 0, _ script: @escaping Script) {
        try! self.init(at: localhost4, port: wanted, script)
    }

    /// A port without a listener.
    package static func deadPort() -> UInt16 {
        let server = NameServer { _ in .silence }
        server.stop()
        return server.port
    }

    package var questions: [Question] { received.all }

    package func count(_ name: String) -> Int { questions.count { $0.name == name } }

    /// Sleeps until so many questions have come.
    package func wait(forQuestions count: Int) throws { try wait("\(count) questions") { $0.count >= count } }

    /// Sleeps until the questions that have come meet the condition.
    package func wait(_ what: String = "other questions", until condition: ([Question]) -> Bool) throws {
        try received.wait(for: what, until: condition)
    }

    package func forgetQuestions() { received.forget() }

    /// The IPv4 addresses that questions came from.
    package var peers: Set<UInt32> { Set(senders.map { $0[4..<8].reduce(0) { $0 << 8 | UInt32($1) } }) }
    /// The ports that datagrams came from.
    package var ports: Set<UInt16> { Set(senders.map { UInt16($0[2]) << 8 | UInt16($0[3]) }) }
}

extension NameServer.Answer {
    package static func answer(_ records: [DNSMessage.Record]) -> Self {
        Self { _, query in [DNSMessage.reply(to: query, records: records)] }
    }

    package static func fail(rcode: UInt8) -> Self { Self { _, query in [DNSMessage.reply(to: query, rcode: rcode)] } }

    /// Tells the client to ask by TCP.
    package static let truncated = Self { _, query in [DNSMessage.reply(to: query, isTruncated: true)] }

    /// Sends the changed bytes of the right answer, and then the right answer.
    package static func mangled(
        _ records: [DNSMessage.Record], by change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Self {
        Self { _, query in
            let reply = DNSMessage.reply(to: query, records: records)
            return [change(reply), reply]
        }
    }

    /// Keeps the question until `release` is called, then answers.
    package static func held(_ records: [DNSMessage.Record]) -> Self { .later(.answer(records)) }
}
