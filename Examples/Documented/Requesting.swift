// SPDX-License-Identifier: Apache-2.0

// The program with WaitingURLSession in Docs/Porting.md, compiled here.

import Foundation
import FoundationNetworking
import WaitingURLSession

func requesting() async throws {
    let request = URLRequest(url: URL(string: "https://www.swift.org")!)
    let (data, _) = try await URLSession.shared.data(for: request, waitingForConnectivity: .seconds(30))
    print(data)
}
