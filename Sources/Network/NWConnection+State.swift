// SPDX-License-Identifier: Apache-2.0

import Connections
import HostResolution
import LinuxSystem

extension NWConnection.State {
    init(_ state: ConnectionMachine.State) {
        self =
            switch state {
            case .setup: .setup
            case .preparing: .preparing
            case .waiting(let failure): .waiting(NWError(failure))
            case .ready: .ready
            case .failed(let failure): .failed(NWError(failure))
            case .cancelled: .cancelled
            }
    }
}

extension NWError {
    init(_ failure: ConnectionFailure) {
        self =
            switch failure {
            case .system(let error), .unresolved(.couldNotAsk(let error)):
                .posix(POSIXErrorCode(rawValue: error.rawValue) ?? .EIO)
            case .unresolved(let outcome): .dns(Self.number(of: outcome))
            }
    }

    /// Bonjour's number (dns_sd.h). A name that does not exist has none of the records that were asked for, and so
    /// gives the number that Apple's framework gives.
    private static func number(of outcome: ResolutionOutcome) -> DNSServiceErrorType {
        switch outcome {
        case .noSuchName, .noData: -65554  // kDNSServiceErr_NoSuchRecord
        case .deadlinePassed: -65568  // kDNSServiceErr_Timeout
        case .noServerReachable, .noServerConfigured: -65563  // kDNSServiceErr_ServiceNotRunning
        case .impossibleName: -65540  // kDNSServiceErr_BadParam
        case .failed, .couldNotAsk, .cancelled, .addresses: -65537  // kDNSServiceErr_Unknown
        }
    }
}
