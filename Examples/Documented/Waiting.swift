// SPDX-License-Identifier: Apache-2.0

// The code about WaitingURLSession in comments and pages, compiled here.

import FoundationNetworking
import WaitingURLSession

func waiting(_ session: URLSession, _ request: URLRequest) async throws {
    let (data, _) = try await session.data(for: request, waitingForConnectivity: .seconds(30))
    print(data)
}
