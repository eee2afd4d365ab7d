// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import WaitingURLSession

// waiting-client METHOD URL SECONDS [data|upload|file|download] [cheap] [wired] [cancel=FIFO] [idle=SECONDS]: performs one
// request that waits, and tells on standard error what happens. `cheap`: not over expensive networks. `wired`: not over mobile
// networks. `cancel`: cancels it when the test writes to the FIFO. `idle`: the time limit of one attempt.

func tell(_ line: String) { FileHandle.standardError.write(Data("<\(line)>\n".utf8)) }

func option(_ name: String) -> String? {
    CommandLine.arguments.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
}

@MainActor
func perform() async throws -> String {
    let words = CommandLine.arguments
    guard words.count > 4, let url = URL(string: words[2]), let seconds = Double(words[3]) else { exit(64) }
    var request = URLRequest(url: url)
    request.httpMethod = words[1]
    request.allowsCellularAccess = !words.contains("wired")
    if let idle = option("idle").flatMap(Double.init) { request.timeoutInterval = idle }
    let (session, limit) = (URLSession(configuration: .ephemeral), Duration.seconds(seconds))
    let cheap = words.contains("cheap")
    func waits(_ obstacle: ConnectivityObstacle) {
        MainActor.assertIsolated()
        tell("waits: \(obstacle)")
    }
    let body = Data("the body".utf8)
    switch words[4] {
    case "upload":
        let (data, _) = try await session.upload(
            for: request, from: body, waitingForConnectivity: limit, allowsExpensivePaths: !cheap, whenWaiting: waits)
        return String(decoding: data, as: UTF8.self)
    case "file":
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (data, _) = try await session.upload(
            for: request, fromFile: file, waitingForConnectivity: limit, allowsExpensivePaths: !cheap,
            whenWaiting: waits)
        return String(decoding: data, as: UTF8.self)
    case "download":
        let (file, _) = try await session.download(
            for: request, waitingForConnectivity: limit, allowsExpensivePaths: !cheap, whenWaiting: waits)
        defer { try? FileManager.default.removeItem(at: file) }
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    default:
        let (data, _) = try await session.data(
            for: request, waitingForConnectivity: limit, allowsExpensivePaths: !cheap, whenWaiting: waits)
        return String(decoding: data, as: UTF8.self)
    }
}

let work = Task {
    do {
        tell("got: \(try await perform())")
    } catch let error as URLError {
        tell("failed: \(error.code.rawValue) \(error.localizedDescription)")
    } catch {
        tell("failed: \(error)")
    }
}
if let fifo = option("cancel") {
    Thread.detachNewThread {
        // The end of the file comes when the other side has opened and closed it.
        guard let file = FileHandle(forReadingAtPath: fifo) else { exit(66) }
        _ = file.readDataToEndOfFile()
        work.cancel()
    }
}
await work.value
