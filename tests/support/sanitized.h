// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hilgate::test {

/// Whether this is compiled with AddressSanitizer: what is freed stays in memory for a while, and shadows take
/// terabytes of addresses. g++ and clang say it in different words.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
#else
inline constexpr bool kAddressSanitizer = false;
#endif

}  // namespace hilgate::test
