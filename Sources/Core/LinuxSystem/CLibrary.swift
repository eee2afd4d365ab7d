// SPDX-License-Identifier: Apache-2.0

// The C library. Only this file says which one is used, so a port to another begins here.

#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#endif
