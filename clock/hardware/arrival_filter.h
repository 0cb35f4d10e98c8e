// SPDX-License-Identifier: Apache-2.0
// Which frames a NIC timestamps as they arrive (Documentation/networking/timestamping.rst).
#pragma once

#include <string>

namespace hilgate {

/// Has the NIC timestamp every frame that arrives, and those that leave where that is requested, if it does not yet. It
/// continues to after the process has ended. Returns why it does not; empty when it does. Control thread.
std::string timestamp_all_arrivals(const std::string& interface);

}  // namespace hilgate
