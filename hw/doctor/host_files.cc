// SPDX-License-Identifier: Apache-2.0
#include "hw/doctor/host_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "host/file_descriptor.h"
#include "hw/doctor/subject.h"

namespace hilgate {

std::string_view name(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "ok";
    case CheckState::kWarn:
      return "warn";
    case CheckState::kFail:
      return "fail";
    case CheckState::kUnknown:
      break;
  }
  return "unknown";
}

Finding finding(std::string check, CheckState state, std::string found, std::string advice) {
  return {std::move(check), state, std::move(found), state == CheckState::kOk ? "" : std::move(advice)};
}

bool HostFiles::exists(const std::string& path) const {
  std::error_code ignored;
  return std::filesystem::exists(root_ / path, ignored);
}

std::optional<std::string> HostFiles::line(const std::string& path) const {
  return line_of(path, "");
}

std::optional<std::uint64_t> HostFiles::number(const std::string& path) const {
  const std::string text = line(path).value_or("");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<std::string> HostFiles::line_of(const std::string& path, const std::string& key) const {
  std::ifstream file(root_ / path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) {
      return line;
    }
  }
  return std::nullopt;
}

std::string HostFiles::write(const std::string& path, const std::string& text) const {
  const FileDescriptor file(::open((root_ / path).c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  const bool written = file.get() >= 0 && ::write(file.get(), text.data(), text.size()) >= 0;
  return written ? "" : std::strerror(errno);
}

std::vector<std::string> HostFiles::names(const std::string& path) const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root_ / path, error)) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace hilgate
