// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization

/// A file that an answer is written to. It is removed with this object unless the caller has taken it (`release`).
///
/// A download task is not used, because FoundationNetworking leaves its file behind if it fails or is cancelled.
final class FileDownload: NSObject, URLSessionDataDelegate {
    private struct State {
        var isTaken = false
        /// Why the file could not be written.
        var error: (any Error)?
    }

    private let location = FileManager.default.temporaryDirectory.appendingPathComponent(
        "download-\(UUID().uuidString)")
    private let handle: FileHandle
    private let state = Mutex(State())
    private let finished: @Sendable (Transport<FileDownload>.Outcome) -> Void

    init(_ finished: @escaping @Sendable (Transport<FileDownload>.Outcome) -> Void = { _ in }) throws {
        try Data().write(to: location)
        handle = try FileHandle(forWritingTo: location)
        self.finished = finished
    }

    deinit {
        if !state.withLock(\.isTaken) { try? FileManager.default.removeItem(at: location) }
    }

    /// The file belongs to the caller from now on.
    func release() -> URL {
        state.withLock { $0.isTaken = true }
        return location
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        do {
            try handle.write(contentsOf: data)
        } catch {
            state.withLock { $0.error = $0.error ?? error }
            dataTask.cancel()
        }
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let error = state.withLock(\.error) ?? error
        finished(
            task.response.flatMap { error == nil ? .success((self, $0)) : nil } ?? .failure(error ?? URLError(.unknown))
        )
    }
}
