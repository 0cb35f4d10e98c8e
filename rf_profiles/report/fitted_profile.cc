// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/report/fitted_profile.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "config/config_file.h"

namespace hilgate {
namespace {

YAML::Node flow() {
  YAML::Node node(YAML::NodeType::Map);
  node.SetStyle(YAML::EmitterStyle::Flow);
  return node;
}

/// Writes a fit over the document of its base.
class ProfileWriter {
 public:
  ProfileWriter(const RadioProfile& base, const LinkFit& fit, const FittedName& name)
      : base_(base),
        fit_(fit),
        model_(fit.path_loss.chosen),
        name_(name),
        root_(YAML::Load(read_config_file(base.file))) {}
  FittedProfile write();

 private:
  void write_path_loss();
  void write_gain(double change_db);
  void write_shadowing();
  void write_fading();
  void write_antenna();
  void write_errors();
  void write_validation();
  void write_mode(const std::string& mode);
  void write_error_table(const RadioMode& mode);
  void leave_fading_out();
  [[nodiscard]] const RadioMode* measured_mode();
  [[nodiscard]] bool takes_table();
  void keep_references();
  void forget_provenance(const std::string& key);
  void set_provenance(const std::string& key, const char* tag, const std::string& source);
  [[nodiscard]] double intercept_dbm() const;
  [[nodiscard]] std::string source(const std::string& what) const;

  const RadioProfile& base_;
  const LinkFit& fit_;
  const LossCandidate& model_;
  const FittedName& name_;
  YAML::Node root_;
  FittedProfile out_;
  bool errors_are_measured_ = false;  // in a table
};

FittedProfile ProfileWriter::write() {
  root_["id"] = name_.id;
  root_["title"] = fmt::format("{}, fitted to {}", base_.title, std::filesystem::path(name_.log).filename().string());
  keep_references();
  if (fit_.has_levels) {
    write_antenna();
    write_path_loss();
    write_shadowing();
    write_fading();
  }
  write_errors();
  write_validation();
  YAML::Emitter emitter;
  emitter << root_;
  out_.yaml = fmt::format("# {} as measured in {}: written by `hilgate radio fit`.\n\n{}\n", base_.id, name_.log,
                          emitter.c_str());
  return std::move(out_);
}

// The level at a loss of 0.
double ProfileWriter::intercept_dbm() const {
  return model_.coefficients[0] + (name_.is_snr ? base_.phy.noise_floor().value : 0);
}

std::string ProfileWriter::source(const std::string& what) const {
  return fmt::format("{}, {} rows: {}", name_.log, fit_.fitted_rows, what);
}

void ProfileWriter::write_path_loss() {
  const double offset_db = base_.phy.sent_and_gained().value - intercept_dbm();
  if (model_.shape == LossShape::kBase || model_.shape == LossShape::kTwoRay) {
    write_gain(-offset_db);
  }
  if (model_.shape == LossShape::kBase) {
    return;
  }
  YAML::Node loss = flow();
  if (model_.shape == LossShape::kTwoRay) {
    loss["model"] = "two_ray_exact";
    loss["ground"] = model_.ground;
  } else {
    const double reference_db = std::clamp(offset_db, 0.0, 200.0);
    write_gain(reference_db - offset_db);
    const bool breaks = model_.shape == LossShape::kDualSlope;
    loss["model"] = breaks ? "three_log_distance" : "log_distance";
    loss["reference_loss"] = fmt::format("{:.2f} dB", reference_db);
    if (breaks) {
      loss["ranges"] =
          YAML::Load(fmt::format("[{{from: 1 m, exponent: {:.3f}}}, {{from: {:.1f} m, exponent: {:.3f}}}, "
                                 "{{from: {:.1f} m, exponent: {:.3f}}}]",
                                 model_.exponent(), model_.breakpoint_m, model_.far_exponent(),
                                 10 * model_.breakpoint_m, model_.far_exponent()));
    } else {
      loss["exponent"] = fmt::format("{:.3f}", model_.shape == LossShape::kFreeSpace ? 2.0 : model_.exponent());
      loss["reference_distance"] = "1 m";
    }
  }
  root_["channel"]["path_loss"] = loss;
  forget_provenance("channel.path_loss");
  set_provenance("channel.path_loss", "measured",
                 source(fmt::format("{}, {:.4g} m to {:.4g} m, rms error of rows left out {:.2f} dB", name(model_),
                                    fit_.path_loss.least_m, fit_.path_loss.most_m, model_.held_out_db)));
}

void ProfileWriter::write_gain(double change_db) {
  constexpr double kLeast = -40;
  constexpr double kMost = 60;
  const double gain_db = base_.phy.rx_gain.value + change_db;
  if (gain_db < kLeast || gain_db > kMost) {
    throw std::runtime_error(fmt::format(
        "the levels are {:.1f} dB {} what {} sends; is it the right --base, and is the column a level in {}?",
        std::abs(change_db), change_db < 0 ? "below" : "above", base_.id, name_.is_snr ? "dB above noise" : "dBm"));
  }
  if (change_db == 0) {
    return;
  }
  root_["phy"]["antenna_gain"]["rx"] = fmt::format("{:.2f} dBi", gain_db);
  set_provenance("phy.antenna_gain.rx", "measured",
                 source(fmt::format("offset of {:+.2f} dB against the power and gains of {}; what the gain, the power "
                                    "and the noise figure have of it is not known",
                                    change_db, base_.id)));
}

void ProfileWriter::write_shadowing() {
  const ShadowingFit& shadowing = fit_.shadowing;
  const bool has_base = base_.channel.shadowing.any();
  constexpr double kUsualCorrelation = 10;  // m
  const double base_m = has_base ? base_.channel.shadowing.los.correlation_m : kUsualCorrelation;
  YAML::Node spread = flow();
  spread["sigma"] = fmt::format("{:.2f} dB", std::min(shadowing.sigma_db, 30.0));
  spread["correlation"] = fmt::format("{:.2f} m", shadowing.has_correlation ? shadowing.correlation_m : base_m);
  YAML::Node both;
  both["los"] = spread;
  both["nlos"] = YAML::Clone(spread);
  root_["channel"]["shadowing"] = both;
  forget_provenance("channel.shadowing");
  set_provenance("channel.shadowing", "measured", source("spread about the fitted path loss, in sight or not"));
  if (!shadowing.has_correlation) {
    for (const char* key : {"channel.shadowing.los.correlation", "channel.shadowing.nlos.correlation"}) {
      set_provenance(key, "unverified",
                     has_base ? "as in " + base_.id + "; the log does not determine it"
                              : std::string("assumed; the log does not determine it"));
    }
  }
}

void ProfileWriter::write_fading() {
  if (!fit_.fading.k_db) {
    return;
  }
  YAML::Node law = flow();
  law["type"] = "rice";
  law["k"] = fmt::format("{:.2f} dB", *fit_.fading.k_db);
  YAML::Node fading = root_["channel"]["fading"] ? root_["channel"]["fading"] : YAML::Node(YAML::NodeType::Map);
  fading["los"] = law;
  fading["nlos"] = YAML::Clone(law);
  root_["channel"]["fading"] = fading;
  forget_provenance("channel.fading");
  set_provenance("channel.fading", "measured",
                 source(fmt::format("K by moments in {} stretches of ten wavelengths", fit_.fading.stretches)));
}

// Both antennas have half of what was measured of the two together.
void ProfileWriter::write_antenna() {
  root_["phy"].remove("antenna");
  forget_provenance("phy.antenna");
  if (!model_.has_pattern) {
    return;
  }
  constexpr int kStep = 5;  // degrees
  constexpr double kRadians = 0.017453292519943295;
  ProfileTable table{name_.id + "-antenna.csv", "azimuth_deg,elevation_deg,gain_dbi\n"};
  for (int elevation = -90; elevation <= 90; elevation += kStep) {
    const double sine = std::sin(elevation * kRadians);
    table.csv += fmt::format("0,{},{:.3f}\n", elevation, model_.pattern_db() / 2 * sine * sine);
  }
  YAML::Node antenna = flow();
  antenna["pattern"] = "table";
  antenna["file"] = table.file;
  root_["phy"]["antenna"] = antenna;
  set_provenance(
      "phy.antenna", "measured",
      source(fmt::format("{:+.1f} dB sin^2(elevation), shared equally by both antennas", model_.pattern_db())));
  out_.tables.push_back(std::move(table));
}

void ProfileWriter::write_errors() {
  if (!fit_.reception) {
    return;
  }
  const RadioMode* const mode = measured_mode();
  if (mode == nullptr || !takes_table()) {
    return;
  }
  write_mode(mode->name);
  write_error_table(*mode);
  leave_fading_out();
}

// Null, with a note, where the log may be of several.
const RadioMode* ProfileWriter::measured_mode() {
  const RadioMac& mac = base_.mac;
  std::string names;
  for (const RadioMode& mode : base_.phy.modes) {
    if (mode.name == name_.mode) {
      return &mode;
    }
    names += (names.empty() ? "" : ", ") + mode.name;
  }
  if (!name_.mode.empty()) {
    throw std::runtime_error(fmt::format("--mode '{}' is no mode of {}; it has {}", name_.mode, base_.id, names));
  }
  const std::size_t only = mac.rate_control.modes.front();
  if (mac.rate_control.modes.size() > 1 || mac.multicast_mode != only) {
    out_.notes.push_back(
        fmt::format("reception is not in the profile: {} has several modes; name that of the log with "
                    "--mode: {}",
                    base_.id, names));
    return nullptr;
  }
  return &base_.phy.modes[only];
}

bool ProfileWriter::takes_table() {
  const auto format = root_["phy"]["modes"]["format"].as<std::string>();
  const bool has_curves = format == "serial" || format.starts_with("wifi_");
  if (!has_curves || base_.mac.combining || base_.mac.rate_control.type == RateControl::Type::kReports) {
    out_.notes.push_back(fmt::format(
        "reception is not in the profile: modes of {} have errors of their own, and take no table", base_.id));
    return false;
  }
  return true;
}

void ProfileWriter::write_mode(const std::string& mode) {
  YAML::Node control = flow();
  control["type"] = "fixed";
  control["modes"] = mode;
  root_["mac"]["rate_control"] = control;
  root_["mac"]["multicast"] = mode;
  for (const char* key : {"mac.rate_control", "mac.multicast"}) {
    forget_provenance(key);
    set_provenance(key, "measured", source("the mode that the losses were measured in"));
  }
}

// The points are the middles of the bins, and half a bin below the first, where everything is lost.
void ProfileWriter::write_error_table(const RadioMode& mode) {
  const ReceptionFit& reception = *fit_.reception;
  const double noise_dbm = name_.is_snr ? 0 : base_.phy.noise_floor().value;
  const double tries = fit_.after_tries ? base_.mac.tries : 1;
  ProfileTable table{name_.id + "-errors.csv", fmt::format("snr_db,{}\n", mode.name)};
  const auto add = [&](double level_db, double loss) {
    table.csv += fmt::format("{:.2f},{:.6f}\n", level_db - noise_dbm, std::pow(loss, 1 / tries));
  };
  add(reception.bins.front().level_db - reception.step_db / 2, reception.bins.front().loss);
  for (const ReceptionBin& bin : reception.bins) {
    add(bin.level_db, bin.loss);
  }
  YAML::Node errors = flow();
  errors["format"] = "csv";
  errors["file"] = table.file;
  const std::uint32_t bytes =
      name_.frame_bytes.value_or(static_cast<std::uint32_t>(std::clamp(fit_.frame_bytes, 0.0, 60'000.0)));
  constexpr std::uint32_t kFullFrame = 1514;  // bytes, of rates that hold for any length
  errors["frame"] = fmt::format("{} B", bytes > 0 ? (mode.phy.air_bits(bytes) + 7) / 8 : kFullFrame);
  if (bytes == 0) {
    errors["any_length"] = true;
  }
  if (reception.path_share) {
    errors["link_spread"] = fmt::format("{:.3f}", *reception.path_share);
  }
  root_["phy"]["error_model"] = "table";
  root_["phy"]["error_table"] = errors;
  root_["phy"].remove("sensitivity");  // the table has it
  errors_are_measured_ = true;
  for (const char* key : {"phy.error_model", "phy.error_table", "phy.sensitivity"}) {
    forget_provenance(key);
  }
  set_provenance("phy.error_model", "measured",
                 source(fmt::format(
                     "loss of {} frames by level, {} bins of {:g} dB{}", reception.frames, reception.bins.size(),
                     reception.step_db,
                     tries > 1 ? fmt::format("; of one try, as if {:g} tries were lost independently", tries) : "")));
  out_.notes.push_back(fmt::format(
      "reception is in the profile: {} has the loss of {} by SNR{}, for frames of {}", table.file, mode.name,
      tries > 1 ? fmt::format(" of one try (measured after {:g}, taken as independent)", tries) : "",
      bytes > 0 ? fmt::format("{} bytes, others by independent bit errors", bytes)
                : "any length: not in the log (--frame-bytes)"));
  out_.tables.push_back(std::move(table));
}

// What the base was compared with holds for what is still the base's. The errors of levels are of rows that were left
// out.
void ProfileWriter::write_validation() {
  YAML::Node compared(YAML::NodeType::Sequence);
  const YAML::Node of_base = root_["validation"] ? root_["validation"]["compared"] : YAML::Node();
  for (const YAML::Node& one : of_base) {
    const auto quantity = one["quantity"].as<std::string>();
    const bool is_airtime = quantity.starts_with("airtime") || quantity.starts_with("window");
    const bool is_level = quantity == "path loss" || quantity == "level";
    if (is_airtime || (is_level ? !fit_.has_levels : !errors_are_measured_)) {
      compared.push_back(one);
    }
  }
  const auto add = [&](const char* quantity, std::size_t points, const std::string& median, const std::string& most) {
    YAML::Node one = flow();
    one["with"] = "measured";
    one["quantity"] = quantity;
    one["rows"] = YAML::Node(YAML::NodeType::Sequence);
    one["points"] = std::min<std::size_t>(points, 1'000'000);
    one["median"] = median;
    one["most"] = most;
    compared.push_back(one);
  };
  YAML::Node validation;
  if (fit_.has_levels) {
    add("level", fit_.fitted_rows, fmt::format("{:.2g} dB", model_.held_out_median_db),
        fmt::format("{:.2g} dB", model_.held_out_most_db));
    if (fit_.path_loss.least_m < fit_.path_loss.most_m) {
      validation["distance"] = flow();
      validation["distance"]["from"] = fmt::format("{:.4g} m", fit_.path_loss.least_m);
      validation["distance"]["to"] = fmt::format("{:.4g} m", fit_.path_loss.most_m);
    }
  } else if (root_["validation"] && root_["validation"]["distance"]) {
    validation["distance"] = root_["validation"]["distance"];
  }
  if (errors_are_measured_) {
    std::vector<double> points;
    constexpr std::size_t kEnough = 100;  // frames
    for (const ReceptionBin& bin : fit_.reception->bins) {
      if (bin.frames >= kEnough) {
        points.push_back(100 * std::abs(bin.held_out_error));
      }
    }
    std::ranges::sort(points);
    if (!points.empty()) {
      add("loss by level", points.size(), fmt::format("{:.2g} points", points[(points.size() - 1) / 2]),
          fmt::format("{:.2g} points", points[(points.size() - 1) * 95 / 100]));
    }
    validation["rates"] = root_["mac"]["multicast"];
  } else if (root_["validation"] && root_["validation"]["rates"]) {
    validation["rates"] = root_["validation"]["rates"];
  }
  validation["compared"] = compared;
  root_.remove("validation");
  if (compared.size() > 0) {
    root_["validation"] = validation;
  }
}

// Frames around one level include its fades. Levels that are the base's own include its shadowing, too.
void ProfileWriter::leave_fading_out() {
  for (const char* key : {"fading", "shadowing"}) {
    if (root_["channel"][key] && (key == std::string_view("fading") || !fit_.has_levels)) {
      root_["channel"].remove(key);
      forget_provenance(fmt::format("channel.{}", key));
      out_.notes.push_back(fmt::format("the profile has no {}: what it does to frames is in the measured loss", key));
    }
  }
}

// The profile is in another folder than its base.
void ProfileWriter::keep_references() {
  for (const FileReference& reference : base_.references) {
    YAML::Node table = root_["phy"]["error_table"];
    YAML::Node fading = root_["channel"]["fading"];
    for (YAML::Node node : {table, fading ? fading["los"] : fading, fading ? fading["nlos"] : fading}) {
      if (node && node["file"] && node["file"].as<std::string>() == reference.name) {
        node["file"] = std::filesystem::absolute(reference.file).string();
      }
    }
  }
}

void ProfileWriter::forget_provenance(const std::string& key) {
  std::vector<std::string> forgotten;
  for (const auto& entry : root_["provenance"]) {
    const auto name = entry.first.as<std::string>();
    if (name == key || name.starts_with(key + ".")) {
      forgotten.push_back(name);
    }
  }
  for (const std::string& name : forgotten) {
    root_["provenance"].remove(name);
  }
}

void ProfileWriter::set_provenance(const std::string& key, const char* tag, const std::string& source) {
  YAML::Node entry = flow();
  entry["tag"] = tag;
  entry["source"] = source;
  root_["provenance"][key] = entry;
}

}  // namespace

FittedProfile fitted_profile(const RadioProfile& base, const LinkFit& fit, const FittedName& name) {
  return ProfileWriter(base, fit, name).write();
}

}  // namespace hilgate
