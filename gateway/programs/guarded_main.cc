// SPDX-License-Identifier: Apache-2.0
#include "gateway/programs/guarded_main.h"

#include <fmt/format.h>

#include <exception>

#include "config/config_file.h"
#include "host/log/log.h"

namespace hilgate {

int guarded_main(std::string_view program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const ConfigError& error) {
    log_failure(error.what());  // begins with file:line, as editors like it
    return 2;
  } catch (const std::exception& error) {
    log_failure(fmt::format("{}: {}", program, error.what()));
    return 1;
  }
}

}  // namespace hilgate
