// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilityRoutes
import Synchronization

/// A reference survives a fork: in the child it is represented by another one, which is made when it is first used there.
extension ReachabilityRef {
    /// The part that belongs to the process that made the reference. In the child of a fork it is never touched.
    struct Own: ~Copyable, Sendable {
        let subject: Subject
        /// Whether the client has a registration. Changed under the lock of `client`. Stands here to fill the gap in memory after
        /// the subject.
        let hasRegistration = Atomic(false)
        let namespace: NamespaceContext
        /// The namespace's sockets, if they could be opened when the reference was made. Getting them from the namespace takes
        /// longer.
        let cachedKernel: KernelAccess?
        let cell = AnswerCell()
        let client = Lock(Client())

        init(_ subject: Subject, _ namespace: NamespaceContext) {
            self.subject = subject
            self.namespace = namespace
            // If there is an error, the first request reports it.
            cachedKernel = try? namespace.kernel()
        }
    }

    /// The reference whose `own` this process may use: this one, or in the child of a fork one that replaces it there.
    @inline(__always)
    var here: ReachabilityRef { own.namespace.isThisProcess ? self : replacement.here }

    private var replacement: ReachabilityRef {
        if let known = successor.load() { return known }
        let namespace = own.namespace.here
        var subject = own.subject
        if case .name(let host) = subject { subject = .name(host.replaced(in: namespace)) }
        return successor.storeIfNil(ReachabilityRef(subject, keys: keys, namespace: namespace))
    }

    package var subject: Subject { here.own.subject }
    package var namespace: NamespaceContext { here.own.namespace }
}
