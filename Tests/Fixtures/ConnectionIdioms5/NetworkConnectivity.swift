// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Client code, in the form clients write it.

// A class that tells an app whether a host answers, from the states of a TCP connection. Such classes have been written
// since Network.framework appeared: a singleton with a delegate, availability checks, the global queue, a method as the
// handler, and a receive that calls itself again.

import Foundation
import Network

public protocol NetworkConnectivityDelegate: AnyObject {
    func networkStatusChanged(online: Bool, connectivityStatus: String)
}

public class NetworkConnectivity {
    public static let shared = NetworkConnectivity()
    public weak var delegate: NetworkConnectivityDelegate?
    public private(set) var tcpStreamAlive = false

    private var hostURL = ""
    private var _connection: Any?

    @available(iOS 12.0, OSX 10.14, *)
    private var nwConnection: NWConnection? {
        get { self._connection as? NWConnection }
        set { self._connection = newValue }
    }

    private init() {}

    public func setup(with hostURL: String) {
        if self.tcpStreamAlive {
            print("TCP Stream is already setup.")
            return
        }
        self.hostURL = hostURL
        guard hostURL.count > 0, self.validateHost(hostURL: hostURL) else {
            print("Error, invalid host.")
            return
        }
        if #available(iOS 12.0, OSX 10.14, *) {
            self.setupNWConnection()
        } else {
            print("Network framework only available for iOS 12 or macOS 10.14 or later.")
        }
    }

    public func stop() {
        if #available(iOS 12.0, OSX 10.14, *) {
            self.nwConnection?.cancel()
        }
    }

    private func validateHost(hostURL: String) -> Bool {
        !hostURL.contains("/") && !hostURL.contains(" ")
    }

    @available(iOS 12.0, OSX 10.14, *)
    private func setupNWConnection() {
        let hostEndpoint = NWEndpoint.Host.init(self.hostURL)
        let nwConnection = NWConnection(host: hostEndpoint, port: 80, using: .tcp)
        nwConnection.stateUpdateHandler = self.stateDidChange(to:)
        self.setupReceive(on: nwConnection)
        nwConnection.start(queue: .global())
        self.nwConnection = nwConnection
    }

    @available(iOS 12.0, OSX 10.14, *)
    private func stateDidChange(to state: NWConnection.State) {
        switch state {
        case .setup:
            self.notifyDelegateOnChange(newStatusFlag: false, connectivityStatus: "setup")
            self.tcpStreamAlive = true
        case .waiting:
            self.notifyDelegateOnChange(newStatusFlag: false, connectivityStatus: "waiting")
            self.tcpStreamAlive = true
        case .ready:
            self.notifyDelegateOnChange(newStatusFlag: true, connectivityStatus: "ready")
            self.tcpStreamAlive = true
        case .failed(let error):
            let errorMessage = "Error: \(error.localizedDescription)"
            self.notifyDelegateOnChange(newStatusFlag: false, connectivityStatus: errorMessage)
            self.tcpStreamAlive = false
        case .cancelled:
            self.notifyDelegateOnChange(newStatusFlag: false, connectivityStatus: "cancelled")
            self.tcpStreamAlive = false
        case .preparing:
            self.notifyDelegateOnChange(newStatusFlag: false, connectivityStatus: "preparing")
            self.tcpStreamAlive = true
        @unknown default:
            fatalError("Unknown state")
        }
    }

    @available(iOS 12.0, OSX 10.14, *)
    private func setupReceive(on connection: NWConnection) {
        connection.receive(minimumIncompleteLength: 1, maximumLength: 65536) {
            (data, contentContext, isComplete, error) in
            if let data = data, !data.isEmpty {
                print("Received \(data.count) bytes")
            }
            if isComplete {
                connection.cancel()
            } else if let error = error {
                print("setupReceive: error \(error.localizedDescription)")
            } else {
                self.setupReceive(on: connection)
            }
        }
    }

    private func notifyDelegateOnChange(newStatusFlag: Bool, connectivityStatus: String) {
        self.delegate?.networkStatusChanged(online: newStatusFlag, connectivityStatus: connectivityStatus)
    }
}
