# SPDX-License-Identifier: Apache-2.0
"""An ordinary program of GLib's, in Python: prints which monitor it has, and what that says of the network and of a host
before and after the signal that a change causes. The change is made by the command on the command line."""

import subprocess
import sys

from gi.repository import Gio, GLib

HOST = Gio.NetworkAddress.new("192.0.2.1", 443)


def describe(monitor: Gio.NetworkMonitor) -> None:
    try:
        reachable = monitor.can_reach(HOST, None)
    except GLib.Error as error:
        if not error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.HOST_UNREACHABLE):
            raise
        reachable = False
    print("available" if monitor.get_network_available() else "not available", reachable)


monitor = Gio.NetworkMonitor.get_default()
print(monitor.__gtype__.name)
describe(monitor)
loop = GLib.MainLoop()
monitor.connect("network-changed", lambda *_: loop.quit())
GLib.idle_add(lambda: subprocess.run(sys.argv[1:], check=True) and False)
loop.run()
describe(monitor)
