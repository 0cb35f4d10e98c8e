// SPDX-License-Identifier: Apache-2.0
// Asio's own functions, compiled once (ASIO_SEPARATE_COMPILATION) and not in each file that uses them.
#include <asio/impl/src.hpp>
