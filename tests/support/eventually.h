// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace hilgate::test {

/// Whether `good()` is true before the time is over. It is asked again and again, with a pause that leaves the
/// processor to what it waits for.
template <class Good>
bool eventually(Good good, std::chrono::milliseconds limit = std::chrono::seconds{20}) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!good()) {
    if (std::chrono::steady_clock::now() >= end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return true;
}

}  // namespace hilgate::test
