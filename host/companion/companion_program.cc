// SPDX-License-Identifier: Apache-2.0
#include "host/companion/companion_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace hilgate {

std::string companion_program(const std::string& name, const std::string& who) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  if (::access(program.c_str(), X_OK) != 0) {
    throw std::runtime_error(
        fmt::format("{} needs {}, which is not installed: sudo apt install {}", who, program.string(), name));
  }
  return program.string();
}

void become(const std::string& program, const std::string& argument) {
  ::execl(program.c_str(), program.c_str(), argument.c_str(), nullptr);
  throw std::system_error(errno, std::generic_category(), program);
}

}  // namespace hilgate
