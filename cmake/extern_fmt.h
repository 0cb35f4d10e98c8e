// SPDX-License-Identifier: Apache-2.0
// Included in front of every file that uses fmt (cmake/HilgateTargets.cmake). fmt 9 has its formatter in its library,
// and does not say so in its headers: each object compiles it again, 3 to 5 s of processor and 30 kB. Later versions
// say it. clang gives the function another symbol than GCC, which has compiled the library.
#pragma once

#include <fmt/format.h>

#if FMT_VERSION < 100000 && !defined(__clang__)
extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view, fmt::format_args,
                                                   fmt::detail::locale_ref);
#endif
