// SPDX-License-Identifier: Apache-2.0
#include "config/config_file.h"

#include <algorithm>
#include <system_error>
#include <tuple>

#include "config/plain_text.h"
#include "host/plain_file.h"

namespace hilgate {

std::string read_config_file(const std::string& file, std::size_t most_bytes) {
  try {
    return read_plain_file(file, {.most_bytes = most_bytes});
  } catch (const PlainFileError& error) {
    throw ConfigError({{file, 0, "", error.why()}});
  }
}

std::filesystem::path kept_path(const std::string& name) {
  std::filesystem::path kept = "run-files";
  const std::filesystem::path written = std::filesystem::path(name).lexically_normal();
  if (written.is_absolute()) {
    kept /= "_root";
  }
  for (const std::filesystem::path& part : written.relative_path()) {
    kept /= part == ".." ? "_up" : part;
  }
  return kept;
}

std::filesystem::path referenced_file(const std::filesystem::path& from, const std::string& name) {
  const std::filesystem::path folder = from.parent_path();
  std::error_code none;
  if (std::filesystem::path kept = folder / kept_path(name); !name.empty() && std::filesystem::exists(kept, none)) {
    return kept;
  }
  return folder / name;
}

namespace {

std::vector<Fault> by_place(std::vector<Fault> faults) {
  std::stable_sort(faults.begin(), faults.end(),
                   [](const Fault& a, const Fault& b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); });
  return faults;
}

std::string joined(const std::vector<Fault>& faults) {
  std::string lines;
  for (const Fault& fault : faults) {
    lines += (lines.empty() ? "" : "\n") + fault.line_text();
  }
  return lines;
}

}  // namespace

std::string Fault::line_text() const {
  constexpr std::size_t kMostOfPath = 256;  // keys may be as long as the file
  const std::string place = line > 0 ? file + ":" + std::to_string(line) : file;
  return place + ": " + (path.empty() ? "" : shown(path, kMostOfPath) + ": ") + text;
}

ConfigError::ConfigError(std::vector<Fault> faults)
    : std::runtime_error(joined(by_place(faults))), faults_(by_place(std::move(faults))) {}

}  // namespace hilgate
