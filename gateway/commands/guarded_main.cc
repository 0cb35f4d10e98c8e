// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/guarded_main.h"

#include <fmt/format.h>

#include <exception>

#include "config/config_error.h"

namespace hilgate {

int guarded_main(std::string_view program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const ConfigError& error) {
    fmt::print(stderr, "{}\n", error.what());  // begins with file:line, as editors like it
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 1;
  }
}

}  // namespace hilgate
