// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/recorder/run_document.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "config/config_file.h"
#include "frame/drop_reason.h"
#include "gateway/run/recorder/kept_files.h"
#include "host/shared_files.h"

namespace hilgate {
namespace {

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) {
    throw std::system_error(errno, std::generic_category(), file.string());
  }
}

nlohmann::ordered_json host_document(const RunIdentity& identity) {
  utsname names{};
  ::uname(&names);
  nlohmann::ordered_json host{{"name", names.nodename},
                              {"kernel", fmt::format("{} {}", names.sysname, names.release)},
                              {"machine", names.machine}};
  if (identity.host) {
    host["doctor"] = identity.host();
  }
  return host;
}

}  // namespace

std::string compact_time(Nanoseconds utc) {
  const auto seconds = static_cast<std::time_t>(std::chrono::duration_cast<std::chrono::seconds>(utc).count());
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(seconds));
}

std::filesystem::path make_record_folder(const std::filesystem::path& parent, const std::string& run, Nanoseconds utc) {
  make_group_folders(parent);
  const std::filesystem::path first = parent / fmt::format("{}-{}", run, compact_time(utc));
  std::filesystem::path folder = first;
  for (unsigned next = 2; !std::filesystem::create_directory(folder); ++next) {
    folder = fmt::format("{}-{}", first.string(), next);  // runs that begin in one second
  }
  share_with_group(folder);
  return folder;
}

std::map<std::string, std::string> keep_sources(const RunSources& sources, const std::filesystem::path& folder) {
  write_text(folder / "configuration.yaml", sources.text);
  FileKeeper keeper(folder);
  keeper.keep(sources.configuration);
  for (const Configuration& later : sources.later) {
    keeper.keep(later);
  }
  share_with_group(folder);
  return keeper.kept();
}

nlohmann::ordered_json run_document(const RunSources& sources, const RunIdentity& identity, Nanoseconds utc,
                                    const std::map<std::string, std::string>& kept) {
  const Configuration& configuration = sources.configuration;
  nlohmann::ordered_json json{{"run", configuration.name},
                              {"hilgate", identity.version},
                              {"began", compact_time(utc)},
                              {"seed", configuration.seed},
                              {"window_us", configuration.window.count() / 1000},
                              {"file", configuration.file.string()},
                              {"configuration", sources.text},
                              {"profiles", nlohmann::ordered_json::object()},
                              {"files", kept},
                              {"host", host_document(identity)}};
  for (const auto& [name, file] : profile_files(configuration)) {
    json["profiles"][name] = read_config_file(file);
  }
  return json;
}

RunLayout layout_of(const Configuration& configuration, const AirPlan& air) {
  constexpr std::uint32_t kFullFrame = 1514;
  RunLayout layout;
  for (const RobotConfig& robot : configuration.robots) {
    layout.ends.push_back(robot.name);
  }
  layout.robots = layout.ends.size();
  if (const AccessNetworkConfig* network = access_network(configuration)) {
    for (const AccessPointConfig& point : network->access_points) {
      layout.ends.push_back(point.name);
    }
  }
  for (const PhyMode& mode : air.modes) {
    layout.modes.push_back({mode.rate_bps / 1e6, mode.error_bits(kFullFrame)});
  }
  for (const DropReasonRow& reason : kDropReasonTable) {
    layout.reasons.emplace_back(reason.name);
  }
  return layout;
}

}  // namespace hilgate
