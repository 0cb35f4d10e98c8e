// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/report/fit_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "rf_profiles/fit/link_fit.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/report/fitted_profile.h"
#include "rf_profiles/report/link_report.h"

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

namespace {

/// Text of a report, section by section.
class FitReport {
 public:
  FitReport(const std::string& log, const RadioProfile& base, const LinkFit& fit) : log_(log), base_(base), fit_(fit) {}
  std::string text();

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }
  void add_rows();
  void add_notes();
  void add_models();
  void add_distances();
  void add_variation();
  void add_reception();
  void add_throughput();
  void add_tenth(std::span<const MeasuredRow> rows, const RateTable& rates);
  [[nodiscard]] std::uint32_t traffic_frame() const;
  void add_held_out();
  void add_undetermined();

  const std::string& log_;
  const RadioProfile& base_;
  const LinkFit& fit_;
  std::string text_;
};

std::string FitReport::text() {
  add_rows();
  if (fit_.has_levels) {
    add_models();
    add_distances();
    add_variation();
  }
  add_reception();
  add_throughput();
  if (fit_.has_levels) {
    add_held_out();
    add_undetermined();
  }
  return text_;
}

void FitReport::add_rows() {
  if (!fit_.has_levels) {
    add("{}: {} rows; base profile {}\n", log_, fit_.timed.size(), base_.id);
    add_notes();
    return;
  }
  const CheckedLevels& levels = fit_.levels;
  add("{}: {} rows fitted, {:.4g} m to {:.4g} m (90 % of them); base profile {}\n", log_, fit_.fitted_rows,
      fit_.path_loss.least_m, fit_.path_loss.most_m, base_.id);
  add_notes();
  add("left out: {} rows without a level, {} outliers, {} at distances of saturation\n", levels.without_level,
      levels.outliers, levels.at_saturation);
}

void FitReport::add_notes() {
  for (const std::string& note : fit_.notes) {
    add("{}\n", note);
  }
}

void FitReport::add_models() {
  const PathLossFit& loss = fit_.path_loss;
  add("\npath loss: rms error in dB of {} blocks of the log, each predicted from the others\n", loss.blocks);
  for (const LossCandidate& model : loss.tried) {
    const bool chosen = name(model) == name(loss.chosen);
    add("  {} {:<44} {:7.2f}", chosen ? '>' : ' ', name(model), model.held_out_db);
    if (model.shape == LossShape::kLogDistance) {
      add("  exponent {:.2f}", model.exponent());
    } else if (model.shape == LossShape::kDualSlope) {
      add("  exponents {:.2f} and {:.2f} beyond {:.4g} m", model.exponent(), model.far_exponent(), model.breakpoint_m);
    }
    if (model.has_pattern) {
      add("  {:+.1f} dB sin^2(elevation)", model.pattern_db());
    }
    text_ += '\n';
  }
  if (loss.exponent) {
    add("one exponent for all distances: {:.2f}, 95 % interval {:.2f} to {:.2f}\n", loss.exponent->value,
        loss.exponent->low, loss.exponent->high);
  }
}

void FitReport::add_distances() {
  constexpr std::size_t kBins = 10;
  const auto& rows = fit_.levels.rows;
  std::vector<std::size_t> order(fit_.fitted_rows);
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows[a].pair.d3d_m < rows[b].pair.d3d_m; });
  add("\nmeasured against fitted, tenths of the rows by distance\n{:>10} {:>10} {:>10} {:>10} {:>10}\n", "from m",
      "to m", "measured", "fitted", "rms error");
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const std::size_t begin = bin * order.size() / kBins;
    const std::size_t end = (bin + 1) * order.size() / kBins;
    double level = 0;
    double error = 0;
    double squares = 0;
    for (std::size_t i = begin; i < end; ++i) {
      level += rows[order[i]].level_db.value_or(0);
      error += fit_.residuals_db[order[i]];
      squares += fit_.residuals_db[order[i]] * fit_.residuals_db[order[i]];
    }
    const auto count = static_cast<double>(end - begin);
    add("{:10.1f} {:10.1f} {:10.2f} {:10.2f} {:10.2f}\n", rows[order[begin]].pair.d3d_m,
        rows[order[end - 1]].pair.d3d_m, level / count, (level - error) / count, std::sqrt(squares / count));
  }
}

void FitReport::add_variation() {
  const ShadowingFit& shadowing = fit_.shadowing;
  if (shadowing.has_correlation) {
    add("\nshadowing: {:.2f} dB, correlation distance {:.3g} m (95 %: {:.3g} m to {:.3g} m); from row to row {:.2f} dB "
        "more\n",
        shadowing.sigma_db, shadowing.correlation_m, shadowing.least_correlation_m, shadowing.most_correlation_m,
        shadowing.row_sigma_db);
  } else {
    add("\nshadowing: {:.2f} dB, fading and errors of measurement included\n", shadowing.sigma_db);
  }
  if (fit_.fading.k_db) {
    add("fading: Rice, K {:.1f} dB, from {} stretches of ten wavelengths\n", *fit_.fading.k_db, fit_.fading.stretches);
  }
}

void FitReport::add_reception() {
  if (!fit_.reception) {
    return;
  }
  const ReceptionFit& reception = *fit_.reception;
  add("\nreception of {} frames, {:.1f} % lost; {} frames of unknown level are not counted\n", reception.frames,
      100 * reception.loss, reception.without_level);
  add("{:>10} {:>10} {:>10} {:>10} {:>22}\n", "level", "frames", "lost %", "fitted %", "one half from other %");
  for (const ReceptionBin& bin : reception.bins) {
    add("{:10.4g} {:10} {:10.1f} {:10.1f} {:+22.1f}\n", bin.level_db, bin.frames,
        100 * static_cast<double>(bin.lost) / static_cast<double>(bin.frames), 100 * bin.loss,
        100 * bin.held_out_error);
  }
  add("largest error of one half from the other, bins of 100 frames and more: {:.1f} points\n", reception.error_points);
  if (reception.after_loss) {
    add("after a loss {:.1f} % are lost (one half from the other {:+.1f} points); {:.1f} % if losses depended on the "
        "level "
        "alone\n",
        100 * *reception.after_loss, 100 * reception.after_loss_error, 100 * reception.expected_after_loss);
  }
  if (reception.path_share) {
    add("paths differ at one level: {:.1f} % of what decides a loss is the path's own; with it each half's loss after "
        "a "
        "loss is predicted from the other within {:.1f} points\n",
        100 * *reception.path_share, reception.after_loss_points);
  }
}

void FitReport::add_throughput() {
  if (fit_.timed.empty()) {
    return;
  }
  std::vector<MeasuredRow> rows = fit_.timed;
  std::ranges::stable_sort(rows, {}, [](const MeasuredRow& row) { return row.pair.d3d_m; });
  add("\ntraffic, tenths of {} rows by distance; goodput and loss that {} has at the mean distance, in sight, for "
      "frames of {} bytes after all tries\n{:>10} {:>10} {:>13} {:>10} {:>13} {:>10}\n",
      rows.size(), base_.id, traffic_frame(), "from m", "to m", "Mbit/s", "lost %", "base Mbit/s", "base %");
  const RateTable rates(base_);
  const std::size_t bins = std::min<std::size_t>(10, rows.size());
  for (std::size_t bin = 0; bin < bins; ++bin) {
    add_tenth(
        std::span(rows).subspan(bin * rows.size() / bins, (bin + 1) * rows.size() / bins - bin * rows.size() / bins),
        rates);
  }
}

std::uint32_t FitReport::traffic_frame() const {
  constexpr double kFullFrame = 1514;  // bytes
  return static_cast<std::uint32_t>(fit_.frame_bytes > 0 ? std::min(fit_.frame_bytes, kFullFrame) : kFullFrame);
}

void FitReport::add_tenth(std::span<const MeasuredRow> rows, const RateTable& rates) {
  double rate_bps = 0;
  std::size_t rated = 0;
  FrameTally tally;
  LinkQuestion question{.distance_m = 0, .height_m = 0, .other_height_m = 0, .walls = {}};
  for (const MeasuredRow& row : rows) {
    rate_bps += row.rate_bps.value_or(0);
    rated += row.rate_bps ? 1 : 0;
    tally.frames += row.tally ? row.tally->frames : 0;
    tally.lost += row.tally ? row.tally->lost : 0;
    question.distance_m += row.pair.d2d_m / static_cast<double>(rows.size());
    question.height_m += row.pair.high_m / static_cast<double>(rows.size());
    question.other_height_m += row.pair.low_m / static_cast<double>(rows.size());
  }
  question.frame_bytes = traffic_frame();
  const LinkReport base = report_link(base_, rates, question);
  add("{:10.1f} {:10.1f} {:>13} {:>10} {:13.3f} {:10.1f}\n", rows.front().pair.d3d_m, rows.back().pair.d3d_m,
      rated > 0 ? fmt::format("{:.3f}", rate_bps / static_cast<double>(rated) / 1e6) : "-",
      tally.frames > 0
          ? fmt::format("{:.1f}", 100 * static_cast<double>(tally.lost) / static_cast<double>(tally.frames))
          : "-",
      base.goodput_bps / 1e6, 100 * (1 - base.delivery));
}

void FitReport::add_held_out() {
  if (fit_.held_out) {
    add("\nheld out: the last {} rows, predicted with an rms error of {:.2f} dB (mean {:+.2f} dB); {:.0f} % are within "
        "the "
        "95 % interval\n",
        fit_.held_out->rows, fit_.held_out->rms_db, fit_.held_out->mean_db, 100 * fit_.held_out->inside_share);
  }
}

void FitReport::add_undetermined() {
  std::vector<std::string> all = fit_.levels.notes;
  all.insert(all.end(), fit_.path_loss.undetermined.begin(), fit_.path_loss.undetermined.end());
  if (!fit_.shadowing.has_correlation) {
    all.push_back("correlation distance of the shadowing: " + fit_.shadowing.why);
  }
  if (!fit_.fading.k_db) {
    all.push_back("fading: " + fit_.fading.why);
  }
  add("\nwhat the log does not determine, and what was left out\n");
  for (const std::string& sentence : all) {
    add("  {}\n", sentence);
  }
}

}  // namespace

std::string fit_report(const std::string& log, const RadioProfile& base, const LinkFit& fit) {
  return FitReport(log, base, fit).text();
}

}  // namespace hilgate
