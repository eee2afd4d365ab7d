// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import WaitingURLSession

// waiting-client METHOD URL SECONDS [data|upload|file|stream|download] [cheap] [wired] [cancel=FIFO] [idle=SECONDS]
// [field=NAME:VALUE] [warm=URL] [go=FIFO] [redirect=refuse|URL]: performs one request that waits, and tells on standard error what
// happens. `cheap`: not over expensive networks. `wired`: not over mobile networks. `cancel`: cancels it when the test writes
// to the FIFO. `idle`: the time limit of one attempt. `field`: a field of the request's header. `warm`: loads this URL before,
// in the same session. `go`: goes on after that when the test writes to the FIFO. `redirect`: what the session's delegate answers
// to each redirect; `password`: what it answers to a question for one; `follow` if it is the new request, `later` if it is that when the test writes to the FIFO of `answer`.

func tell(_ line: String) { FileHandle.standardError.write(Data("<\(line)>\n".utf8)) }

func option(_ name: String) -> String? {
    CommandLine.arguments.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
}

/// Returns when the other side has opened the FIFO and closed it.
func waitForEnd(of fifo: String) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            guard let file = FileHandle(forReadingAtPath: fifo) else { exit(66) }
            _ = file.readDataToEndOfFile()
            continuation.resume()
        }
    }
}

final class RedirectDelegate: NSObject, URLSessionTaskDelegate {
    let choice: String

    init(choice: String) { self.choice = choice }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        tell("redirect: \(response.statusCode) \(request.httpMethod ?? "") \(request.url?.absoluteString ?? "")")
        switch choice {
        case "follow": completionHandler(request)
        case "refuse": completionHandler(nil)
        case "never": break
        case "later":
            guard let fifo = option("answer") else { exit(64) }
            Task {
                await waitForEnd(of: fifo)
                completionHandler(request)
                tell("answered")
            }
        default:
            var changed = request
            changed.url = URL(string: choice)
            changed.setValue("yes", forHTTPHeaderField: "Changed")
            completionHandler(changed)
        }
    }
}

/// Knows a password, and tells what else it is asked.
final class PasswordDelegate: NSObject, URLSessionTaskDelegate {
    let password: String

    init(password: String) { self.password = password }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        tell("asked for a password")
        completionHandler(.useCredential, URLCredential(user: "ada", password: password, persistence: .none))
    }
}

@MainActor
func perform() async throws -> String {
    let words = CommandLine.arguments
    guard words.count > 4, let url = URL(string: words[2]), let seconds = Double(words[3]) else { exit(64) }
    var request = URLRequest(url: url)
    request.httpMethod = words[1]
    request.allowsCellularAccess = !words.contains("wired")
    if let idle = option("idle").flatMap(Double.init) { request.timeoutInterval = idle }
    if let field = option("field")?.split(separator: ":", maxSplits: 1) {
        request.setValue(String(field[1]), forHTTPHeaderField: String(field[0]))
    }
    let delegate: (any URLSessionDelegate)? =
        option("redirect").map(RedirectDelegate.init) ?? option("password").map(PasswordDelegate.init)
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    let limit = Duration.seconds(seconds)
    let cheap = words.contains("cheap")
    func waits(_ obstacle: ConnectivityObstacle) {
        MainActor.assertIsolated()
        tell("waits: \(obstacle)")
    }
    if let warm = option("warm").flatMap({ URL(string: $0) }) {
        _ = try await session.data(from: warm, waitingForConnectivity: limit)
        tell("warm")
    }
    if let fifo = option("go") { await waitForEnd(of: fifo) }
    func text(_ data: Data, _ response: URLResponse) -> String {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        return (status == 200 ? "" : "\(status) ") + String(decoding: data, as: UTF8.self)
    }
    let body = Data("the body".utf8)
    switch words[4] {
    case "upload":
        let (data, response) = try await session.upload(
            for: request, from: body, waitingForConnectivity: limit, allowsExpensivePaths: !cheap, whenWaiting: waits)
        return text(data, response)
    case "file":
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (data, response) = try await session.upload(
            for: request, fromFile: file, waitingForConnectivity: limit, allowsExpensivePaths: !cheap,
            whenWaiting: waits)
        return text(data, response)
    case "download":
        let (file, response) = try await session.download(
            for: request, waitingForConnectivity: limit, allowsExpensivePaths: !cheap, whenWaiting: waits)
        defer { try? FileManager.default.removeItem(at: file) }
        return text(try Data(contentsOf: file), response)
    case "stream", "body":
        if words[4] == "stream" { request.httpBodyStream = InputStream(data: body) } else { request.httpBody = body }
        fallthrough
    default:
        let (data, response) = try await session.data(
            for: request, waitingForConnectivity: limit, allowsExpensivePaths: !cheap, whenWaiting: waits)
        return text(data, response)
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
    Task {
        await waitForEnd(of: fifo)
        work.cancel()
    }
}
await work.value
