// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostResolution
import LinuxSystem
import TestHosts
import TestTopology
import TestWaiting
import Testing

/// The sources that nsswitch.conf names, in its order. What is expected is what getent(1) of glibc 2.36 answers.
@Suite("Sources of names", .timeLimit(.minutes(10)))
struct SourceTests {
    let fixture = ResolverFixture()

    // MARK: The line

    private static func text(_ sources: NameSources) -> String {
        sources.steps.map { step in
            let ends = NameSources.Status.allCases.filter { step.ends.contains($0) }.map(\.rawValue)
            return "\(step.source)(\(ends.joined(separator: ",")))"
        }.joined(separator: " ")
    }

    @Test(arguments: [
        ("", "files(success) dns(success)"), ("passwd: files\n", "files(success) dns(success)"),
        ("hosts: dns files # files\n", "dns(success) files(success)"),
        ("  hosts :\tfiles[NOTFOUND=return]dns", "files(success,notfound) dns(success)"),
        ("hosts: files [SUCCESS=continue] dns", "files() dns(success)"),
        ("hosts: resolve [!UNAVAIL=return] myhostname", "resolve(success,notfound,tryagain) thisMachine(success)"),
        (
            "hosts: mdns4_minimal [ NotFound=return  tryagain=return ] sss",
            "module(\"mdns4_minimal\")(success,notfound,tryagain) module(\"sss\")(success)"
        ), ("hosts: files [bogus=return] dns", ""), ("hosts: [NOTFOUND=return] files", ""), ("hosts: files [", ""),
        ("hosts: files\nhosts: dns\n", "dns(success)"),
    ]) func `are read from the line for hosts`(text: String, expected: String) {
        #expect(Self.text(NameSources(parsing: text)) == expected)
    }

    // MARK: Asking

    /// The last byte of the address that is found for a name: 1 from the hosts file, 99 from DNS. DNS does not know "none".
    private func found(_ line: String, _ name: String) -> [UInt8] {
        fixture.write("nsswitch.conf", "hosts: \(line)\n")
        fixture.write("hosts", "192.0.2.1 a.test\n")
        let server = ScriptedDNSServer { question in
            if question.name == "none.test" { return .fail(rcode: 3) }
            return .answer(question.isA ? [.address(question.name, v4("192.0.2.99"))] : [])
        }
        defer { server.stop() }
        // Named by the file, so that the line is not extended.
        fixture.write("resolv.conf", "")
        var environment = fixture.environment([server])
        environment.hasResolved = { false }
        environment.hostName = { "machine" }
        environment.ownAddresses = { [v4("192.0.2.7")] }
        return Resolver(environment).all(name).addresses.compactMap(\.bytes.last)
    }

    @Test(arguments: [
        ("dns [NOTFOUND=return] files", "a.test", [99]), ("dns [NOTFOUND=return] files", "none.test", []),
        ("files [NOTFOUND=return] dns", "a.test", [1]), ("files [NOTFOUND=return] dns", "b.test", []),
        ("nosuch [UNAVAIL=return] files", "a.test", []), ("nosuch [!SUCCESS=return] files", "a.test", []),
        ("nosuch files dns", "a.test", [1]), ("files [SUCCESS=continue] dns", "a.test", [99]),
        ("files [success=continue notfound=return] dns", "b.test", []), ("files[NOTFOUND=return]dns", "b.test", []),
        ("resolve [!UNAVAIL=return] files dns", "a.test", [1]), ("files dns", "machine", [99]),
        ("myhostname files dns", "machine", [7]), ("myhostname files dns", "a.test", [1]),
        ("mdns4_minimal [NOTFOUND=return] dns", "b.test", [99]),
    ]) func `are asked in order, as far as the actions say`(line: String, name: String, expected: [UInt8]) {
        #expect(found(line, name) == expected)
    }

    @Test func `without DNS no server is asked`() {
        fixture.write("nsswitch.conf", "hosts: files\n")
        let server = ScriptedDNSServer(SharingTests.everyName)
        defer { server.stop() }
        var environment = fixture.environment([])
        environment.resolvConfPath = fixture.path("resolv.conf")
        fixture.write("resolv.conf", "nameserver 127.0.0.1\n")
        let found = Resolver(environment).all("a.test")
        #expect(found.outcome == .noSuchName)
        #expect(found.origin == .none)
    }

    @Test func `a server that the caller names is asked, whatever the line says`() {
        fixture.write("nsswitch.conf", "hosts: files\n")
        let server = ScriptedDNSServer(SharingTests.everyName)
        defer { server.stop() }
        #expect(Resolver(fixture.environment([server])).all("a.test").origin == .dns)
    }

    @Test func `a changed line counts at once`() {
        fixture.write("hosts", "192.0.2.1 a.test\n")
        fixture.write("nsswitch.conf", "hosts: files\n")
        let resolver = Resolver(fixture.environment([]))
        #expect(resolver.all("a.test").outcome == .addresses)
        fixture.replace("nsswitch.conf", "hosts: dns\n")
        #expect(resolver.all("a.test").outcome == .noServerConfigured)
    }

    @Test func `where systemd-resolved runs its source knows the hosts file, and asks the servers`() {
        fixture.write("nsswitch.conf", "hosts: resolve [!UNAVAIL=return] dns\n")
        fixture.write("hosts", "192.0.2.1 a.test\n")
        let server = ScriptedDNSServer(SharingTests.everyName)
        defer { server.stop() }
        var environment = fixture.environment([server])
        environment.hasResolved = { true }
        let resolver = Resolver(environment)
        #expect(resolver.all("a.test").origin == .hostsFile)
        #expect(resolver.all("b.test").origin == .dns)
    }

    // MARK: One family

    @Test(arguments: [(AddressFamily.v4, "192.0.2.99", [true]), (.v6, "2001:db8::99", [false])])
    func `of one family is asked for alone, and a hosts entry of the other does not count`(
        family: AddressFamily, address: String, questions: [Bool]
    ) {
        fixture.write("hosts", family == .v4 ? "2001:db8::7 a.test\n" : "192.0.2.7 a.test\n")
        let server = ScriptedDNSServer { question in
            .answer([.address(question.name, question.isA ? v4("192.0.2.99") : v6("2001:db8::99"))])
        }
        defer { server.stop() }
        let found = Resolver(fixture.environment([server])).resolve(
            NameQuery(host("a.test"), family), deadline: SystemTime().now().advanced(by: .seconds(30))
        ) { _ in false }
        #expect(found.addresses.map(\.description) == [address])
        #expect(found.isComplete)
        #expect(server.questions.map(\.isA) == questions)
    }

    // MARK: Modules of the C library

    /// Compiles two modules of the C library.
    ///
    /// "testing" knows names by their first word: "known" after a buffer was too small, "scoped" on a link, "again" another
    /// time, "hang" never, and "wait" not before there is a file "go". It writes what it is asked to a file "asked". "older" has
    /// one function for one family at a time, and knows "both" and "six".
    private func compileModules() throws {
        fixture.write(
            "new",
            #"""
            #include <errno.h>
            #include <fcntl.h>
            #include <netdb.h>
            #include <nss.h>
            #include <stdint.h>
            #include <string.h>
            #include <unistd.h>
            #include <arpa/inet.h>
            #define BEGINS(word) (!strncmp(name, word, strlen(word)))
            enum nss_status _nss_testing_gethostbyname4_r(const char *name, struct gaih_addrtuple **tuple, char *memory,
                size_t size, int *error, int *host_error, int32_t *ttl) {
                int asked = open(DIRECTORY "/asked", O_CREAT | O_WRONLY | O_APPEND, 0600);
                if (write(asked, name, strlen(name)) < 0) return NSS_STATUS_UNAVAIL;
                close(asked);
                while (BEGINS("hang")) pause();
                while (BEGINS("wait") && access(DIRECTORY "/go", F_OK)) usleep(1000);
                *host_error = HOST_NOT_FOUND;
                *error = EAGAIN;
                if (BEGINS("again")) return NSS_STATUS_TRYAGAIN;
                if (!BEGINS("known") && !BEGINS("scoped")) return NSS_STATUS_NOTFOUND;
                if (size < 5000) { *error = ERANGE; return NSS_STATUS_TRYAGAIN; }
                struct gaih_addrtuple *first = (struct gaih_addrtuple *)memory;
                memset(first, 0, sizeof *first);
                first->family = BEGINS("scoped") ? AF_INET6 : AF_INET;
                first->scopeid = 3;
                inet_pton(first->family, BEGINS("scoped") ? "fe80::7" : "192.0.2.44", first->addr);
                *tuple = first;
                *ttl = 7;
                return NSS_STATUS_SUCCESS;
            }
            enum nss_status _nss_older_gethostbyname2_r(const char *name, int family, struct hostent *host, char *memory,
                size_t size, int *error, int *host_error) {
                if (family == AF_INET6 && size < 5000) { *error = ERANGE; return NSS_STATUS_TRYAGAIN; }
                *host_error = HOST_NOT_FOUND;
                if (!BEGINS("both") && (!BEGINS("six") || family == AF_INET)) return NSS_STATUS_NOTFOUND;
                char **list = (char **)memory;
                list[0] = memory + 2 * sizeof *list;
                list[1] = NULL;
                inet_pton(family, family == AF_INET ? "192.0.2.45" : "2001:db8::45", list[0]);
                host->h_addrtype = family;
                host->h_addr_list = list;
                return NSS_STATUS_SUCCESS;
            }
            """#)
        for name in Self.modules {
            let words = ["cc", "-x", "c", "-D_GNU_SOURCE", "-DDIRECTORY=\"\(fixture.directory)\"", "-shared", "-fPIC"]
            _ = try CallingThread.execute(words + ["-o", fixture.path(name), fixture.path("new")])
        }
    }

    private static let modules = ["libnss_testing.so.2", "libnss_older.so.2"]

    private func removeModules() {
        for name in Self.modules + ["asked", "go"] { unsafe unlink(fixture.path(name)) }
    }

    private func environment(_ line: String) throws -> ResolverEnvironment {
        try compileModules()
        fixture.write("nsswitch.conf", "hosts: \(line)\n")
        fixture.write("hosts", "192.0.2.1 a.test\n")
        var environment = fixture.environment([])
        environment.moduleDirectory = fixture.directory
        return environment
    }

    @Test func `may be modules of the C library`() throws {
        defer { removeModules() }
        let resolver = Resolver(try environment("testing [NOTFOUND=return] files"))
        let found = resolver.all("known.test")
        #expect(found.v4 == .addresses([TimedAddress(v4("192.0.2.44"), timeToLive: 7)]))
        #expect(found.origin == .module("testing"))
        #expect(resolver.all("scoped.test").addresses == [.v6(IPv6Address("fe80::7")!, scope: Scope(number: 3))])
        #expect(resolver.known(host("known.test")) === found)
        #expect(resolver.all("a.test").outcome == .noSuchName)
        let loop = try EventLoop(name: "loop")
        defer { loop.stop() }
        let told = ReceivedValues<Resolution>()
        _ = resolver.resolve(
            host("other.test"), on: loop, deadline: SystemTime().now().advanced(by: .seconds(30)),
            enough: { _ in false }, completion: told.record)
        #expect(try told.next().outcome == .noSuchName)
    }

    @Test func `may be modules that are asked for one family after the other`() throws {
        defer { removeModules() }
        let resolver = Resolver(try environment("older"))
        #expect(resolver.all("both.test").addresses == [v6("2001:db8::45"), v4("192.0.2.45")])
        #expect(resolver.all("six.test").addresses == [v6("2001:db8::45")])
    }

    @Test(arguments: [
        ("testing [TRYAGAIN=return] files", ResolutionOutcome.deadlinePassed), ("testing files", .addresses),
    ])
    func `may be modules that could say more another time`(line: String, outcome: ResolutionOutcome) throws {
        defer { removeModules() }
        let environment = try environment(line)
        fixture.write("hosts", "192.0.2.1 again.test\n")
        #expect(Resolver(environment).all("again.test").outcome == outcome)
    }

    @Test func `are no modules where the caller has wishes for the questions`() throws {
        defer { removeModules() }
        let environment = try environment("testing files")
        var wishes = [environment, environment]
        wishes[0].mark = 7
        // A module would answer for the namespace of its thread.
        wishes[1].namespace = try Topology().namespace
        for environment in wishes {
            #expect(Resolver(environment).all("known.test").outcome == .noSuchName)
            #expect(Resolver(environment).all("a.test").addresses == [v4("192.0.2.1")])
        }
    }

    @Test func `are not asked what nobody waits for any more`() async {
        // In its own process, as it looks at the threads.
        await #expect(processExitsWith: .success) {
            let tests = SourceTests()
            let resolver = Resolver(try tests.environment("testing"))
            let loop = try EventLoop(name: "loop")
            func ask(_ word: String, for duration: Duration) -> ReceivedValues<Resolution> {
                let told = ReceivedValues<Resolution>()
                for number in 0..<4 {
                    _ = resolver.resolve(
                        host("\(word)\(number).test"), on: loop,
                        deadline: SystemTime().now().advanced(by: duration), enough: { _ in false },
                        completion: told.record)
                }
                return told
            }
            func asked() throws -> String {
                String(decoding: try Files.contents(of: tests.fixture.path("asked")), as: UTF8.self)
            }
            let waiting = ask("wait", for: .seconds(100))
            try WaitLimit.wait(for: "all threads") { (try? asked().count { $0 == "w" }) == 4 }
            for late in try ask("late", for: .milliseconds(50)).next(4) {
                precondition(late.outcome == .deadlinePassed, "\(late.outcome)")
            }
            tests.fixture.write("go", "")
            _ = try waiting.next(4)
            try WaitLimit.wait(for: "the threads to end") { !ProcessState.threads.contains("names") }
            try #require(!asked().contains("late"))
            tests.removeModules()
        }
    }

    @Test func `that hang hold no more than a few threads, and no lookup longer than its deadline`() async {
        // In its own process, as the threads stay.
        await #expect(processExitsWith: .success) {
            let tests = SourceTests()
            let resolver = Resolver(try tests.environment("testing files"))
            let before = ProcessState.threads.count
            let (time, told) = (SystemTime(), ReceivedValues<Resolution>())
            let loop = try EventLoop(name: "loop")
            for number in 0..<20 {
                _ = resolver.resolve(
                    host("hang\(number).test"), on: loop, deadline: time.now().advanced(by: .milliseconds(100)),
                    enough: { _ in false }, completion: told.record)
            }
            for found in try told.next(20) { precondition(found.outcome == .deadlinePassed, "\(found.outcome)") }
            let late = time.now().advanced(by: .milliseconds(50))
            precondition(resolver.resolve(host("known.test"), deadline: late) { _ in false }.outcome == .deadlinePassed)
            precondition(ProcessState.threads.count <= before + 1 + 4, "\(ProcessState.threads)")
            tests.removeModules()
        }
    }

    // MARK: Where questions come from

    @Test(arguments: ["2001:db8::1", "192.0.2.1"])
    func `a source that cannot lead to the server is not used for it`(source: String) {
        let server = ScriptedDNSServer(SharingTests.everyName)
        defer { server.stop() }
        var environment = fixture.environment([server])
        environment.source = source.contains(":") ? v6(source) : v4(source)
        #expect(Resolver(environment).all("a.test").outcome == .addresses)
        #expect(server.peers == [0x7F00_0001])
    }
}
