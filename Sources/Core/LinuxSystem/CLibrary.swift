// SPDX-License-Identifier: Apache-2.0

// The C library. This is the only file that says which one, so a port to another begins here.

#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#endif
