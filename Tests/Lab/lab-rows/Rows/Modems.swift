// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit

extension Row {
    /// A mobile modem on USB: the kernel's real drivers, with a device that another driver emulates. It appears in the
    /// guest's first namespace and is moved into the row's.
    static let modems = [ethernetModem, rawModem]

    /// - Parameters:
    /// - identity: a vendor and a product that the driver knows as a modem.
    private static func plugIn(vendor: String, product: String) -> String {
        """
        modem=/config/usb_gadget/modem
        mkdir -p $modem/strings/0x409 $modem/configs/c.1/strings/0x409 $modem/functions/ecm.0
        echo \(vendor) > $modem/idVendor
        echo \(product) > $modem/idProduct
        ln -s $modem/functions/ecm.0 $modem/configs/c.1
        echo dummy_udc.0 > $modem/UDC
        nsenter --net=/first-network lab-rows --await wwan0
        nsenter --net=/first-network ip link set wwan0 netns 1
        """
    }

    private static let unplug = """
        echo > /config/usb_gadget/modem/UDC
        modem=/config/usb_gadget/modem
        rm $modem/configs/c.1/ecm.0
        rmdir $modem/configs/c.1/strings/0x409 $modem/configs/c.1 $modem/functions/ecm.0 $modem/strings/0x409 $modem
        """

    /// The device's side of the link stands for the mobile network.
    private static func network(_ state: String) -> String {
        "nsenter --net=/first-network ip link set usb0 \(state)"
    }

    /// The driver takes the link for ready until the modem has said, once the link is up, that it is in no network (cdc_ether.c).
    private static let ethernetModem = Row(
        name: "cdc_ether",
        given: "modprobe -a dummy_hcd libcomposite usb_f_ecm cdc_ether",
        steps: [
            Step(
                "plugged in, not in the network",
                plugIn(vendor: "0x1bc7", product: "0x0036") + """

                    ip addr add 10.64.0.1/24 dev wwan0
                    ip link set wwan0 up
                    lab-rows --await-broken wwan0
                    ip route add default via 10.64.0.254
                    """,
                calls: [], answers: ["10.64.0.1": .own]),
            Step(
                "in the network", network("up"),
                calls: [.cellular], path: .cellular("wwan0"),
                answers: ["10.64.0.2": .cellular, "default": .cellular]),
            Step("loses the network", network("down"), calls: [[]]),
            Step("finds it again", network("up"), calls: [.cellular], path: .cellular("wwan0")),
            Step("dormant", dormant("wwan0"), calls: [.cellularAfterDial], path: .dormant(.cellular, "wwan0")),
            Step("and awake", "ip link set wwan0 state up", calls: [.cellular], path: .cellular("wwan0")),
            Step("pulled out", unplug, calls: [[]], answers: ["10.64.0.1": []]),
        ])

    /// Without frames: of ARPHRD_NONE, with one peer.
    private static let rawModem = Row(
        name: "qmi_wwan",
        given: """
            modprobe -a dummy_hcd libcomposite usb_f_ecm qmi_wwan
            modprobe -r cdc_ether
            echo 1199 9999 > /sys/bus/usb/drivers/qmi_wwan/new_id
            """,
        steps: [
            Step(
                "plugged in, raw IP",
                plugIn(vendor: "0x1199", product: "0x9999") + """

                    echo Y > /sys/class/net/wwan0/qmi/raw_ip
                    ip addr add 10.64.0.1/32 dev wwan0
                    ip link set wwan0 up
                    ip route add default dev wwan0
                    """,
                calls: [.cellular], path: .cellular("wwan0"),
                answers: ["10.64.0.1": .own, "default": .cellular]),
            Step("dormant", dormant("wwan0"), calls: [.cellularAfterDial], path: .dormant(.cellular, "wwan0")),
            Step("and awake", "ip link set wwan0 state up", calls: [.cellular], path: .cellular("wwan0")),
            Step("down", "ip link set wwan0 down", calls: [[]]),
            Step(
                "up again", "ip link set wwan0 up; ip route add default dev wwan0",
                calls: [.cellular], path: .cellular("wwan0")),
            Step("pulled out", unplug, calls: [[]]),
        ])
}
