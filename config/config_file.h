// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hilgate {

/// The content of a file of the configuration: a regular file of at most 64 MiB. Asked for over the control socket it
/// is read on the thread that serves simulators, so nothing waits and nothing is endless: no FIFO, device or folder is
/// read. Throws ConfigError with the file and the reason.
std::string read_config_file(const std::string& file);

}  // namespace hilgate
