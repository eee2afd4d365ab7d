// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestTopology
import Testing

/// Sources of names that the C library would load. What is expected is what getent(1) of glibc 2.36 answers.
@Suite("Modules of the C library", .timeLimit(.minutes(10)))
struct ModuleTests {
    let fixture = ResolverFixture()
    let started = Started()

    /// Compiles two modules of the C library.
    ///
    /// "testing" knows names by their first word: "known" after a buffer was too small, "scoped" on a link, "again" another
    /// time, "hang" never, and "wait" not before there is a file "go". It writes what it is asked to a file "asked". "older" has
    /// one function for one family at a time, and knows "both", "six", and "large" after a buffer was too small for IPv4 alone.
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
                int large = BEGINS("large");
                if ((large ? family == AF_INET : family == AF_INET6) && size < 5000) {
                    *error = ERANGE;
                    return NSS_STATUS_TRYAGAIN;
                }
                *host_error = HOST_NOT_FOUND;
                if (!BEGINS("both") && !large && (!BEGINS("six") || family == AF_INET)) return NSS_STATUS_NOTFOUND;
                char **list = (char **)memory;
                list[0] = memory + 2 * sizeof *list;
                list[1] = NULL;
                inet_pton(family, family == AF_INET ? "192.0.2.45" : "2001:db8::45", list[0]);
                host->h_addrtype = family;
                host->h_addr_list = list;
                return NSS_STATUS_SUCCESS;
            }
            """#)
        for name in ["libnss_testing.so.2", "libnss_older.so.2"] {
            let words = ["cc", "-x", "c", "-D_GNU_SOURCE", "-DDIRECTORY=\"\(fixture.directory)\"", "-shared", "-fPIC"]
            _ = try CallingThread.execute(words + ["-o", fixture.path(name), fixture.path("new")])
        }
    }

    private func environment(_ line: String) throws -> ResolverEnvironment {
        try compileModules()
        fixture.write("nsswitch.conf", "hosts: \(line)\n")
        fixture.write("hosts", "192.0.2.1 a.test\n")
        var environment = fixture.environment([])
        environment.moduleDirectory = fixture.directory
        return environment
    }

    @Test func `answer, and the actions of the line hold for them`() throws {
        let resolver = Resolver(try environment("testing [NOTFOUND=return] files"))
        let found = resolver.all("known.test")
        #expect(found.v4 == .addresses([TimedAddress(v4("192.0.2.44"), timeToLive: 7)]))
        #expect(found.origin == .module("testing"))
        #expect(resolver.configuration.missingModules(for: NameQuery(host("known.test"))) == [])
        #expect(resolver.all("scoped.test").addresses == [.v6(IPv6Address("fe80::7")!, scope: Scope(number: 3))])
        #expect(resolver.known(host("known.test")) === found)
        #expect(resolver.all("a.test").outcome == .noSuchName)
        let loop = try started.loop()
        let told = ReceivedValues<Resolution>()
        resolver.resolve("other.test", on: loop, completion: told.record)
        #expect(try told.next().outcome == .noSuchName)
    }

    @Test func `may have one function for one family at a time`() throws {
        let resolver = Resolver(try environment("older"))
        #expect(resolver.all("both.test").addresses == [v6("2001:db8::45"), v4("192.0.2.45")])
        #expect(resolver.all("large.test").addresses == [v6("2001:db8::45"), v4("192.0.2.45")])
        #expect(resolver.all("six.test").addresses == [v6("2001:db8::45")])
    }

    @Test(arguments: [
        ("testing [TRYAGAIN=return] files", ResolutionOutcome.deadlinePassed), ("testing files", .addresses),
    ])
    func `may say that they could know more another time`(line: String, outcome: ResolutionOutcome) throws {
        let environment = try environment(line)
        fixture.write("hosts", "192.0.2.1 again.test\n")
        #expect(Resolver(environment).all("again.test").outcome == outcome)
    }

    @Test func `are not asked where the caller has wishes for the questions`() throws {
        let environment = try environment("testing files")
        var wishes = [environment, environment]
        wishes[0].mark = 7
        // A module would answer for the namespace of its thread.
        wishes[1].namespace = try Machine().namespace
        for environment in wishes {
            #expect(Resolver(environment).all("known.test").outcome == .noSuchName)
            #expect(Resolver(environment).all("a.test").addresses == [v4("192.0.2.1")])
        }
    }

    /// As an engine's loop does. A module would have the files of the process, and sockets of the namespace.
    @Test func `are not asked in another namespace either where a loop lives in it`() throws {
        var environment = try environment("testing files")
        let topology = try Machine()
        environment.namespace = topology.namespace
        let loop = try topology.run { try started.loop() }
        let told = ReceivedValues<Resolution>()
        Resolver(environment).resolve("known.test", on: loop, completion: told.record)
        #expect(try told.next().outcome == .noSuchName)
    }

    @Test func `are not asked what nobody waits for any more`() async {
        // In its own process, as it looks at the threads.
        await #expect(processExitsWith: .success) {
            let tests = ModuleTests()
            let resolver = Resolver(try tests.environment("testing"))
            let loop = try EventLoop(name: "loop")
            func ask(
                _ word: String, for duration: Duration, _ told: @escaping @Sendable (Resolution) -> Void
            ) {
                let deadline = SystemTime().now().advanced(by: duration)
                for number in 0..<4 {
                    resolver.resolve("\(word)\(number).test", on: loop, deadline: deadline, completion: told)
                }
            }
            @Sendable func asked() throws -> String {
                String(decoding: try Files.contents(of: tests.fixture.path("asked")), as: UTF8.self)
            }
            let (waiting, late) = (ReceivedValues<Resolution>(), ReceivedValues<Resolution>())
            ask("wait", for: .seconds(100), waiting.record)
            try WaitLimit.wait(for: "all threads") { (try? asked().count { $0 == "w" }) == 4 }
            ask("late", for: .milliseconds(50)) { resolution in
                // Already when the first is told, the threads find nothing more to do.
                tests.fixture.write("go", "")
                try? WaitLimit.wait(for: "the threads to end") { !ProcessState.threads.contains("names") }
                late.record(resolution)
            }
            for late in try late.next(4) { precondition(late.outcome == .deadlinePassed, "\(late.outcome)") }
            _ = try waiting.next(4)
            try #require(!asked().contains("late"))
        }
    }

    @Test func `that hang hold no more than a few threads, and no lookup longer than its deadline`() async {
        // In its own process, as the threads stay.
        await #expect(processExitsWith: .success) {
            let tests = ModuleTests()
            let environment = try tests.environment("testing files")
            tests.fixture.write("hosts", "192.0.2.1 known.test hang3.test hang17.test\n")
            let resolver = Resolver(environment)
            let (time, told) = (SystemTime(), ReceivedValues<Resolution>())
            let loop = try EventLoop(name: "loop")
            for number in 0..<20 {
                resolver.resolve(
                    "hang\(number).test", on: loop, deadline: time.now().advanced(by: .seconds(4)),
                    completion: told.record)
            }
            for found in try told.next(20) {
                // The next source is asked, for those too for whom no thread was left.
                let isListed = ["hang3.test", "hang17.test"].contains("\(found.query.name)")
                try #require(found.outcome == (isListed ? .addresses : .deadlinePassed), "\(found.query.name)")
            }
            let late = time.now().advanced(by: .seconds(2))
            try #require(resolver.resolve(host("known.test"), deadline: late) { _ in false }.origin == .hostsFile)
            try #require(ProcessState.threads.count { $0 == "names" } == 4, "\(ProcessState.threads)")
        }
    }

    @Test func `that no further thread can ask wait for one that is there`() async {
        await #expect(processExitsWith: .success) {
            let tests = ModuleTests()
            let resolver = Resolver(try tests.environment("testing files"))
            let loop = try EventLoop(name: "loop")
            let late = SystemTime().now().advanced(by: .seconds(10_000))
            let (waiting, told) = (ReceivedValues<Resolution>(), ReceivedValues<Resolution>())
            resolver.resolve("wait.test", on: loop, deadline: late, completion: waiting.record)
            try WaitLimit.wait(for: "the first question") {
                (try? Files.contents(of: tests.fixture.path("asked"))) != nil
            }
            FaultInjection.fail(.threadCreate, with: .wouldBlock, times: .max)
            resolver.resolve("known.test", on: loop, deadline: late, completion: told.record)
            let isHere = ReceivedValues<Void>()
            loop.enqueue { loop.enqueue { isHere.record(()) } }
            _ = try isHere.next()
            tests.fixture.write("go", "")
            try #require(try told.next().outcome == .addresses)
            try #require(try waiting.next().outcome == .noSuchName)
        }
    }

    @Test func `that no thread can ask are an error at once, and are asked when one can`() async {
        await #expect(processExitsWith: .success) {
            let tests = ModuleTests()
            let environment = try tests.environment("testing files")
            tests.fixture.write("hosts", "192.0.2.1 known.test\n")
            let resolver = Resolver(environment)
            let loop = try EventLoop(name: "loop")
            let told = ReceivedValues<Resolution>()
            // What pthread_create(3) says beyond RLIMIT_NPROC, and beyond the limit of a control group.
            FaultInjection.fail(.threadCreate, with: .wouldBlock, times: 10_000)
            // Far longer than the test may take.
            let late = SystemTime().now().advanced(by: .seconds(10_000))
            for number in 0..<20 {
                resolver.resolve("known\(number).test", on: loop, deadline: late, completion: told.record)
            }
            for found in try told.next(20) { try #require(found.outcome == .couldNotAsk(.wouldBlock)) }
            let found = resolver.resolve(host("known.test"), deadline: late) { _ in false }
            try #require(found.outcome == .couldNotAsk(.wouldBlock))
            FaultInjection.reset()
            let known = resolver.all("known.test")
            try #require(known.outcome == .addresses && known.origin == .module("testing"))
        }
    }
}
