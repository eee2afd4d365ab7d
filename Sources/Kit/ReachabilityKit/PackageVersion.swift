// SPDX-License-Identifier: Apache-2.0

/// The version of this package. `make install` and `make deb` read it from this line.
package let packageVersion = "0.1.0"
