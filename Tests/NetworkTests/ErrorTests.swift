// SPDX-License-Identifier: Apache-2.0

import Foundation
import Network
import ReachabilityKit
import Testing

@Suite("Errors, as Foundation describes them")
struct ErrorTests {
    @Test(
        "of a connection say their sentence",
        arguments: [
            (NWError.posix(.ECONNREFUSED), "Connection refused"),
            (.dns(-65554), "The name does not exist or has no addresses"),
            (.dns(-65568), "No name server answered in time"),
            (.dns(-65563), "No name server is configured or reachable"),
            (.dns(-65540), "No host can have this name"),
            (.dns(-65537), "The name server could not answer"),
            (.dns(-1), "The name could not be resolved"),
            (.tls(-9806), "The secure connection failed with status -9806"),
            (.wifiAware(3), "The Wi-Fi Aware connection failed with error 3"),
        ])
    func connections(error: NWError, sentence: String) {
        #expect((error as any Error).localizedDescription == sentence)
        #expect(error.localizedDescription == sentence)
        let bridged = error as NSError
        #expect(bridged.domain == "Network.NWError" && bridged.code == error.errorCode)
        #expect(bridged.localizedDescription == sentence)
    }

    @Test("of a connection have their number")
    func numbers() {
        #expect(NWError.posix(.ECONNREFUSED).errorCode == 111)
        #expect(
            NWError.dns(DNSServiceErrorType(kDNSServiceErr_NoSuchRecord)).errorCode == -65554
                && NWError.tls(-9806).errorCode == -9806)
        #expect(NWError.wifiAware(3).errorCode == 3)
    }

    @Test("of the core say their sentence")
    func core() {
        do throws(ReachabilityError) {
            _ = try ReachabilityRef(address: "nowhere")
            Issue.record("it was accepted")
        } catch {
            #expect(error.localizedDescription == error.description)
            #expect((error as any Error).localizedDescription == error.description)
            #expect(error.description.contains("nowhere"))
        }
    }
}
