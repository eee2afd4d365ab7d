// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit

extension Row {
    /// The access point has the second of mac80211_hwsim's addresses.
    private static let network = ["wlan0": "lab 02:00:00:00:01:00"]

    /// Two simulated radios: a station, and an access point that requires WPA2.
    static let wifi = [
        Row(
            name: "wifi",
            given: """
                modprobe mac80211_hwsim radios=2
                ip netns add ap
                nsenter --net=/first-network iw phy#0 set netns 1
                nsenter --net=/first-network iw phy#1 set netns name ap
                cat > /run/hostapd.conf << CONF
                interface=wlan1
                ssid=lab
                hw_mode=g
                channel=1
                wpa=2
                wpa_key_mgmt=WPA-PSK
                wpa_passphrase=passphrase
                rsn_pairwise=CCMP
                CONF
                ip netns exec ap hostapd -B /run/hostapd.conf > /tmp/log
                for word in passphrase wrong-word; do
                    printf 'network={\\nssid="lab"\\npsk="%s"\\n}\\n' $word > /run/$word.conf
                done
                """,
            steps: [
                Step(
                    "up, in no network",
                    """
                    ip addr add 10.0.0.1/24 dev wlan0
                    ip link set wlan0 up
                    lab-rows --await-broken wlan0
                    ip route add default via 10.0.0.254
                    """,
                    calls: [], answers: ["10.0.0.1": .own], wireless: ["wlan0": ""]),
                // The access point waits some seconds for keys that are never sent.
                Step(
                    "in a network, without its keys",
                    "wpa_supplicant -B -P /run/wpa.pid -i wlan0 -c /run/wrong-word.conf > /tmp/log",
                    calls: [.afterLogin], path: .dormant(.wifi, "wlan0"), wireless: network),
                // On its way out wpa_supplicant sets the state itself, possibly before the kernel gets to it.
                Step(
                    "out of it", "kill $(cat /run/wpa.pid)", calls: [[]], wireless: ["wlan0": ""],
                    alternative: [.reachable, []]),
                Step(
                    "with keys", "wpa_supplicant -B -P /run/wpa.pid -i wlan0 -c /run/passphrase.conf > /tmp/log",
                    calls: [.afterLogin, .reachable], path: .wifi("wlan0"), answers: ["10.0.0.2": .direct],
                    wireless: network, alternative: [.reachable]),
                Step("the access point goes", "kill $(pidof hostapd)", calls: [[]], alternative: [.afterLogin, []]),
            ])
    ]
}
