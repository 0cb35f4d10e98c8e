// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/report/fit_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "config/config_file.h"
#include "rf_profiles/fit/link_fit.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/report/fit_report.h"
#include "rf_profiles/report/fitted_profile.h"

namespace hilgate {
namespace {

namespace fs = std::filesystem;

RadioProfile load_base(const FitCommand& command) {
  const bool is_file = command.base.find('/') != std::string::npos || command.base.ends_with(".yaml");
  return load_radio_profile(is_file ? command.base : find_radio_profile(command.base, command.folders));
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (!stream) {
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno)));
  }
}

// Mean levels of the base, in dBm.
void put_levels(MeasuredLog& log, const RadioProfile& base) {
  const Carrier carrier(base.phy.frequency);
  for (MeasuredRow& row : log.rows) {
    row.level_db = base.phy.sent_and_gained().value - path_loss(base.channel.path_loss, row.pair, carrier).value;
  }
  log.notes.push_back(fmt::format(
      "the log has no levels: losses are by the mean levels that {} has at the distances, and its path loss is "
      "kept",
      base.id));
}

LinkFit fit_log(const FitCommand& command, MeasuredLog log, const RadioProfile& base) {
  try {
    const auto has_level = [](const MeasuredRow& row) { return row.level_db.has_value(); };
    const auto is_timed = [](const MeasuredRow& row) { return row.tally || row.rate_bps; };
    if (std::ranges::none_of(log.rows, has_level) && std::ranges::any_of(log.rows, is_timed)) {
      if (command.held_out > 0) {
        throw std::runtime_error("has no levels, so that no rows can be held out; leave --hold-out away");
      }
      put_levels(log, base);
      return fit_traffic(log);
    }
    return fit_link(
        log, {.model = base.channel.path_loss, .carrier = Carrier(base.phy.frequency), .has_heights = log.has_heights},
        command.held_out);
  } catch (const std::runtime_error& error) {
    throw ConfigError({{command.log, 0, "", error.what()}});
  }
}

void check_target(const FitCommand& command, const RadioProfile& base) {
  const fs::path to(command.to);
  if (to.extension() != ".yaml" || to.stem().empty()) {
    throw std::runtime_error(fmt::format("--to '{}' is no profile; its name must end in .yaml", command.to));
  }
  std::error_code none;  // a target that is not there is not the base
  if (fs::equivalent(to, base.file, none)) {
    throw std::runtime_error(fmt::format("--to '{}' is the base profile; choose another name", command.to));
  }
}

void write_profile(const FitCommand& command, const RadioProfile& base, LinkFit& fit, bool is_snr) {
  const fs::path to(command.to);
  const FittedProfile made = fitted_profile(base, fit,
                                            {.id = to.stem().string(),
                                             .log = command.log,
                                             .is_snr = is_snr,
                                             .mode = command.mode,
                                             .frame_bytes = command.frame_bytes});
  for (const ProfileTable& table : made.tables) {
    write_text(to.parent_path() / table.file, table.csv);
  }
  parse_radio_profile(made.yaml, command.to);
  write_text(to, made.yaml);
  fit.notes.insert(fit.notes.end(), made.notes.begin(), made.notes.end());
}

}  // namespace

int fit_command(const FitCommand& command, std::ostream& out, std::ostream& err) {
  try {
    const RadioProfile base = load_base(command);
    if (!command.to.empty()) {
      check_target(command, base);
    }
    MeasuredLog log = command.read();
    const bool is_snr = log.is_snr;
    LinkFit fit = fit_log(command, std::move(log), base);
    if (!command.to.empty()) {
      write_profile(command, base, fit, is_snr);
    }
    const std::string report = fit_report(command.log, base, fit);
    if (command.report.empty()) {
      out << report;
    } else {
      write_text(command.report, report);
    }
    return 0;
  } catch (const std::runtime_error& error) {
    err << error.what() << '\n';
    return 2;
  }
}

}  // namespace hilgate
