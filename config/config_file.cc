// SPDX-License-Identifier: Apache-2.0
#include "config/config_file.h"

#include "config/config_error.h"
#include "host/plain_file.h"

namespace hilgate {

std::string read_config_file(const std::string& file) {
  try {
    return read_plain_file(file);
  } catch (const PlainFileError& error) {
    throw ConfigError({{file, 0, "", error.why()}});
  }
}

}  // namespace hilgate
