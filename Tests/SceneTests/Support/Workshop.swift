// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestTopology

extension Driver {
    /// How it is started. Drivers in Swift and C are products of this package.
    var command: [String] {
        get throws {
            switch self {
            case .python:
                [
                    "env", "LD_LIBRARY_PATH=\(try Workshop.made.get().folder)",
                    "PYTHONPATH=\(BuiltProduct.package)/Sources/Bindings/Python", "PYTHONDONTWRITEBYTECODE=1",
                    "python3",
                    "\(BuiltProduct.package)/Tests/Scenes/drivers/python/driver.py",
                ]
            case .glib:
                [
                    "env", "GIO_EXTRA_MODULES=\(try Workshop.made.get().folder)",
                    "\(try Workshop.made.get().folder)/\(name)",
                ]
            default: [BuiltProduct.path(name)]
            }
        }
    }
}

/// A folder beside the products with what is made of them for drivers that are not built with the package: the C library by
/// the name under which it is installed, the GIO module, and GLib's driver.
struct Workshop {
    let folder = BuiltProduct.path("scenes")

    static let made = Result { try Workshop() }

    private init() throws {
        let products = folder.dropLast("/scenes".count)
        try CallingThread.execute(["mkdir", "-p", folder])
        try CallingThread.execute(["ln", "-sf", "\(products)/libCReachability.so", "\(folder)/libreachability.so.1"])
        guard Capability.glib.isAvailable else { return }
        let sources = "\(BuiltProduct.package)/Sources/Bindings"
        let module = ["monitor.c", "watching.c", "questions.c"].map { "\(sources)/GIO/\($0)" }.joined(separator: " ")
        let libraries = try CallingThread.execute(["pkg-config", "--cflags", "--libs", "gio-2.0", "gio-unix-2.0"])
        for (files, output) in [
            ("-shared -fPIC -fvisibility=hidden \(module)", "libgioreachability.so"),
            ("\(BuiltProduct.package)/Tests/Compare/glib/glib-watcher.c", Driver.glib.name),
        ] {
            let words =
                "gcc -std=gnu17 -Wall -Wextra -Werror -I\(sources)/CReachabilityHeaders/include \(files) -o \(folder)/\(output).new "
                + "-L\(products) -Wl,-rpath,\(products) -lCReachability \(libraries)"
            try CallingThread.execute(words.split { " \n".contains($0) }.map(String.init))
            // Another run may have it open.
            try CallingThread.execute(["mv", "\(folder)/\(output).new", "\(folder)/\(output)"])
        }
    }
}
