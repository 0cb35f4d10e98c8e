// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/reader/installed_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include "host/companion/companion_process.h"
#include "host/process.h"
#include "physics_link/geo/geo_json.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/propagation/material.h"

namespace hilgate {
namespace {

constexpr std::size_t kMostAnswer = std::size_t{512} << 20;  // bytes

std::shared_ptr<const GeoScene> read_place(const GeoQuestion& question) {
  const std::string program = companion_program("hilgate-place", "`physics.scene`");
  const ProcessAnswer answer = run_for_answer({program, geo_question_text(question)}, kMostAnswer);
  if (answer.status != 0) {
    throw std::runtime_error(fmt::format(
        "{} ended with status {} and without an answer{}", program, answer.status,
        answer.status == 128 + SIGXCPU ? ": it has read for longer than it may; use smaller extracts" : ""));
  }
  try {
    return std::make_shared<const GeoScene>(parse_geo_scene(answer.output));
  } catch (const GeoFault&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("the answer of {} {}", program, error.what()));
  }
}

/// A scene is read once: a configuration that is read again has the same, and a run that starts no other programs any
/// more can still be changed.
class SurveyedPlaces {
 public:
  std::shared_ptr<const GeoScene> of(const GeoQuestion& question) {
    const std::scoped_lock lock(mutex_);
    if (!scene_ || question_ != question) {
      try {
        scene_ = read_place(question);
      } catch (const std::system_error& error) {
        throw std::runtime_error(
            fmt::format("{}: a running gateway starts no other program; another scene needs another "
                        "run",
                        error.what()));
      }
      question_ = question;
    }
    return scene_;
  }

 private:
  std::mutex mutex_;
  GeoQuestion question_;
  std::shared_ptr<const GeoScene> scene_;
};

// A cell's users share its air; without a cell each scheduled radio has its rate for itself.
RadioRate rate_of(const RadioProfile& profile) {
  RadioRate rate;
  rate.latency = profile.mac.latency;
  for (const std::size_t mode : profile.mac.rate_control.modes) {
    rate.bits_per_second = std::max(rate.bits_per_second, profile.phy.modes[mode].phy.rate_bps);
  }
  const bool is_own = profile.mac.access == MediumAccess::kScheduled && !profile.mac.cell;
  rate.medium = is_own ? "" : profile.mac.domain;
  return rate;
}

// Of the modulation profiles have the error model alone.
dis::Emission emission_of(const RadioPhy& phy) {
  using dis::MajorModulation;
  const std::string& errors = phy.error_model;
  const bool is_ofdm = errors.starts_with("wifi_") || errors == "wmediumd" || errors == "lte";
  const bool is_spread = errors == "dsss" || errors == "oqpsk" || errors == "lora";
  return {.frequency_hz = static_cast<std::uint64_t>(std::llround(phy.frequency.value)),
          .bandwidth_hz = static_cast<float>(phy.bandwidth.value),
          .power_dbm = static_cast<float>((phy.tx_power + phy.tx_gain - phy.cable_loss).value),
          .modulation = is_ofdm                          ? MajorModulation::kAmplitudeAndAngle
                        : is_spread || errors == "ncfsk" ? MajorModulation::kAngle
                                                         : MajorModulation::kNoStatement,
          .spread_spectrum = is_spread};
}

}  // namespace

std::optional<RadioFacts> radio_facts(const std::string& name, const std::vector<std::string>& folders) {
  try {
    const RadioProfile profile = load_radio_profile(find_radio_profile(name, folders));
    return RadioFacts{rate_of(profile), emission_of(profile.phy)};
  } catch (const std::runtime_error&) {  // ConfigError is one
    return std::nullopt;
  }
}

std::vector<std::string> profile_folders(const std::vector<std::filesystem::path>& configured) {
  std::vector<std::string> folders(configured.begin(), configured.end());
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  folders.push_back((program.parent_path().parent_path() / "share/hilgate/profiles").string());
  return folders;
}

KnownNames known_names(const std::string& gateway) {
  KnownNames names;
  names.gateway = gateway;
  names.radios = [](const std::vector<std::filesystem::path>& configured) {
    return radio_profile_names(profile_folders(configured));
  };
  for (const Material& material : builtin_materials()) {
    names.materials.push_back(material.name);
  }
  static SurveyedPlaces places;
  names.survey = [](const GeoQuestion& question) { return places.of(question); };
  return names;
}

}  // namespace hilgate
