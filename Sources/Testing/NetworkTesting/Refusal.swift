// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ReachabilityLinuxSystem

/// Why no machine can be made for a test, and what would allow it.
struct Refusal: CustomStringConvertible {
    /// The call that failed, and its error.
    let cause: String
    /// Whether there is a file at a path.
    var exists: (String) -> Bool = { !Files.isMissing($0) }

    /// Each is a command line, and where to type it. Remedies that do not apply to this system are left out.
    private var remedies: [String] {
        // On every system, this error means that a limit of namespaces is reached (unshare(2)).
        if cause.contains("\(Errno.noSpace)") {
            return ["`sudo sysctl -w user.max_user_namespaces=15000 user.max_net_namespaces=15000`"]
        }
        var remedies: [String] = []
        if exists("/.dockerenv") || exists("/run/.containerenv") {
            remedies.append(
                "in a container: `docker run --cap-add SYS_ADMIN --cap-add NET_ADMIN --security-opt apparmor=unconfined`, "
                    + "or these as `options` of a hosted job's container")
        }
        if exists("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") {
            remedies.append(
                "on Ubuntu and on a hosted runner: `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`")
        }
        if exists("/proc/sys/kernel/unprivileged_userns_clone") {
            remedies.append("on Debian: `sudo sysctl -w kernel.unprivileged_userns_clone=1`")
        }
        if cause.hasPrefix("/etc/") { remedies.append("`sudo touch /etc/resolv.conf /etc/hosts`") }
        return remedies.isEmpty
            ? ["run the tests as root, with the capabilities CAP_SYS_ADMIN and CAP_NET_ADMIN"] : remedies
    }

    var description: String {
        "needs a network of its own, which this system refuses (\(cause)). What allows it: "
            + remedies.joined(separator: "; ")
    }
}
#endif
