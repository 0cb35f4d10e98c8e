// SPDX-License-Identifier: Apache-2.0
#include "config/config_file.h"

#include <stdexcept>
#include <string_view>

#include "config/config_error.h"
#include "host/plain_file.h"

namespace hilgate {

std::string read_config_file(const std::string& file) {
  try {
    return read_plain_file(file);
  } catch (const std::runtime_error& error) {
    const std::string_view text = error.what();
    throw ConfigError({{file, 0, "", std::string(text.substr(file.size() + 2))}});
  }
}

}  // namespace hilgate
