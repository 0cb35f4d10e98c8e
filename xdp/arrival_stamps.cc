// SPDX-License-Identifier: Apache-2.0
#include "xdp/arrival_stamps.h"

#include <algorithm>

namespace hilgate {
namespace {

constexpr std::int64_t kMostErrno = 4095;  // the kernel's; a driver may give anything for a time

}  // namespace

HostTime ArrivalStamps::arrival(std::int64_t device_ns, HostTime seen) noexcept {
  if (device_ns <= 0) {
    port_.missing.add();
    port_.error.store(static_cast<int>(-std::max(device_ns, -kMostErrno)), std::memory_order_relaxed);
    return seen;
  }
  if (const std::uint64_t version = port_.line.version(); version != line_version_) {
    line_ = port_.line.load();
    line_version_ = version;
  }
  const HostTime arrived = line_.line.at(DeviceLine::DeviceTime{Nanoseconds{device_ns}});
  if (!line_.valid || arrived < seen - kOldest || arrived > seen + line_.margin) {
    port_.unusable.add();
    return seen;
  }
  port_.by_device.add();
  return std::min(arrived, seen);
}

}  // namespace hilgate
