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
            case .unresolved(let outcome): .dns(DNSServiceError(outcome).rawValue)
            }
    }
}

extension DNSServiceError {
    /// As in Apple's framework, a name that does not exist has no record of the types that were asked for.
    fileprivate init(_ outcome: ResolutionOutcome) {
        self =
            switch outcome {
            case .noSuchName, .noData: .noSuchRecord
            case .deadlinePassed: .timeout
            case .noServerReachable, .noServerConfigured: .serviceNotRunning
            case .impossibleName: .badParam
            case .failed, .couldNotAsk, .cancelled, .addresses: .unknown
            }
    }
}
