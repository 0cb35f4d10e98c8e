// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/site_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "gateway/run/recorder/run_document.h"
#include "gateway/site/site_meeting.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {

std::uint64_t files_digest(const Configuration& configuration, const ConfigDocument& document) {
  SiteDigest digest;
  digest.add(document.text());
  const auto add = [&digest](const std::filesystem::path& file) {
    if (std::filesystem::is_regular_file(file)) {  // else of profiles or a record
      digest.add_file(file);
    }
  };
  for (const FileReference& reference : configuration.references) {
    add(reference.file);
  }
  for (const auto& [name, file] : profile_files(configuration)) {
    digest.add_file(file);
    for (const FileReference& reference : load_radio_profile(file).references) {
      add(reference.file);
    }
  }
  return digest.value();
}

std::uint64_t digest_with(std::uint64_t files, const std::vector<std::string>& assignments) {
  if (assignments.empty()) {
    return files;
  }
  SiteDigest digest;
  digest.add(fmt::format("{:016x}", files));
  for (const std::string& each : assignments) {
    digest.add(each);
  }
  return digest.value();
}

void check_site_change(const ConfigDocument& running, const ConfigDocument& wanted) {
  for (const char* key : {"ports", "robots", "window", "physics", "netsim"}) {
    if (running.section(key) != wanted.section(key)) {
      throw std::runtime_error(
          fmt::format("{} cannot change while a site runs; change the file at all gateways and start them again", key));
    }
  }
}

}  // namespace hilgate
