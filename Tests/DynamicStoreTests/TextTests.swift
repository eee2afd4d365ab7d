// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SystemConfigurationCore

@Suite("A value")
struct TextTests {
    @Test("is printed as Apple's scutil prints it")
    func layout() {
        let value: PropertyValue = [
            "ServerAddresses": ["192.0.2.1", "2001:db8::1"], "Enable": true, "Off": false, "Port": 8080,
            "Nested": ["Inner": ["Deep": [[1, "x"]]]], "Bytes": .data([0, 10, 255]), "Empty": .array([]),
            "Nothing": .dictionary([:]),
        ]
        #expect(
            value.description == """
                <dictionary> {
                  Bytes : <data> 0x000aff
                  Empty : <array> {
                  }
                  Enable : TRUE
                  Nested : <dictionary> {
                    Inner : <dictionary> {
                      Deep : <array> {
                        0 : <array> {
                          0 : 1
                          1 : x
                        }
                      }
                    }
                  }
                  Nothing : <dictionary> {
                  }
                  Off : FALSE
                  Port : 8080
                  ServerAddresses : <array> {
                    0 : 192.0.2.1
                    1 : 2001:db8::1
                  }
                }
                """)
        #expect(PropertyValue.string("text").description == "text")
    }
}
