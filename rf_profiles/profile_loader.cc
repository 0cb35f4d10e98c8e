// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "config/nearest.h"
#include "config/yaml_reader.h"
#include "rf_profiles/wifi_mode.h"
#include "rf_profiles/wifi_table.h"

namespace hilgate {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// The value of a key that must be there; nothing, with a fault, when it is missing or no T.
template <class T>
std::optional<T> needed(YamlReader& map, std::string_view key) {
  if (!map.has(key)) {
    map.required<T>(key);
    return std::nullopt;
  }
  return map.optional<T>(key);
}

/// A quantity within [low, high] (in the unit of its type), or a fault that says so.
template <class T>
double within(YamlReader& map, std::string_view key, double low, double high) {
  const std::optional<T> quantity = needed<T>(map, key);
  if (quantity && !(quantity->value >= low && quantity->value <= high)) {
    map.fault(key, fmt::format("{:g} is out of range; {:g} to {:g} in its base unit", quantity->value, low, high));
  }
  return quantity ? quantity->value : low;
}

double number_within(YamlReader& map, std::string_view key, double low, double high) {
  const std::optional<double> value = needed<double>(map, key);
  if (value && !(*value >= low && *value <= high)) {
    map.fault(key, fmt::format("{:g} is out of range; {:g} to {:g}", *value, low, high));
  }
  return value.value_or(low);
}

std::uint32_t whole_within(YamlReader& map, std::string_view key, std::uint32_t low, std::uint32_t high) {
  const std::optional<std::uint32_t> value = needed<std::uint32_t>(map, key);
  if (value && (*value < low || *value > high)) {
    map.fault(key, fmt::format("{} is out of range; {} to {}", *value, low, high));
  }
  return value.value_or(low);
}

std::uint32_t bytes_within(YamlReader& map, std::string_view key, std::uint32_t low, std::uint32_t high) {
  const std::optional<Bytes> bytes = needed<Bytes>(map, key);
  if (bytes && (bytes->value < low || bytes->value > high)) {
    map.fault(key, fmt::format("{} B is out of range; {} B to {} B", bytes->value, low, high));
    return low;
  }
  return bytes ? static_cast<std::uint32_t>(bytes->value) : low;
}

Nanoseconds time_within(YamlReader& map, std::string_view key, Nanoseconds low, Nanoseconds high) {
  const std::optional<Nanoseconds> time = needed<Nanoseconds>(map, key);
  if (time && (*time < low || *time > high)) {
    map.fault(key, fmt::format("{} ns is out of range; {} ns to {} ns", time->count(), low.count(), high.count()));
  }
  return time.value_or(low);
}

/// Reads one profile; its members are filled in the order of the file.
class ProfileReader {
 public:
  explicit ProfileReader(YamlReader root) : root_(std::move(root)) {}
  RadioProfile read();

 private:
  void read_phy(YamlReader phy);
  void read_mac(YamlReader mac);
  void read_rate_control(YamlReader control);
  void read_channel(YamlReader channel);
  PathLossModel read_path_loss(YamlReader loss);
  ShadowSpread read_spread(YamlReader& shadowing, std::string_view sight);
  void read_provenance();
  std::size_t mode_index(YamlReader& where, const std::string& name);

  YamlReader root_;
  RadioProfile profile_;
  WifiFormat format_ = WifiFormat::kHt;
  WifiFraming framing_;
};

RadioProfile ProfileReader::read() {
  profile_.file = root_.file();
  profile_.id = root_.required<std::string>("id");
  if (!profile_.id.empty() && profile_.id != fs::path(profile_.file).stem()) {
    root_.fault("id", fmt::format("'{}' is not the name of the file, '{}'", profile_.id,
                                  fs::path(profile_.file).stem().string()));
  }
  profile_.title = root_.required<std::string>("title");
  read_phy(root_.child("phy"));
  read_mac(root_.child("mac"));
  read_channel(root_.child("channel"));
  profile_.mtu_bytes = bytes_within(root_, "mtu", 1, 65535);
  YamlReader errors = root_.child("errors");
  profile_.policy = errors.choice<ErrorPolicy>("policy", {{"fcs_drop", ErrorPolicy::kFcsDrop},
                                                          {"arq", ErrorPolicy::kArq},
                                                          {"corrupt_raw", ErrorPolicy::kCorruptRaw},
                                                          {"corrupt_fixsum", ErrorPolicy::kCorruptFixsum},
                                                          {"mark_only", ErrorPolicy::kMarkOnly}});
  read_provenance();
  return std::move(profile_);
}

void ProfileReader::read_phy(YamlReader phy) {
  RadioPhy& out = profile_.phy;
  out.frequency_hz = within<Hertz>(phy, "frequency", 1e6, 300e9);
  out.bandwidth_hz = within<Hertz>(phy, "bandwidth", 1, 10e9);
  out.noise_figure_db = within<Decibels>(phy, "noise_figure", 0, 40);
  out.tx_power_dbm = within<Dbm>(phy, "tx_power", -60, 60);
  YamlReader gain = phy.child("antenna_gain");
  out.tx_gain_dbi = within<Decibels>(gain, "tx", -40, 60);
  out.rx_gain_dbi = within<Decibels>(gain, "rx", -40, 60);
  out.cable_loss_db = within<Decibels>(phy, "cable_loss", 0, 100);
  out.error_model = phy.choice<std::string>("error_model", {{"wifi_table", "wifi_table"}});
  YamlReader modes = phy.child("modes");
  format_ = modes.choice<WifiFormat>(
      "format", {{"wifi_legacy", WifiFormat::kLegacy}, {"wifi_ht", WifiFormat::kHt}, {"wifi_vht", WifiFormat::kVht}});
  framing_.streams = whole_within(modes, "streams", 1, 4);
  framing_.guard = time_within(modes, "guard", Nanoseconds{400}, Nanoseconds{800});
  framing_.width_mhz = static_cast<unsigned>(out.bandwidth_hz / 1e6);
}

void ProfileReader::read_mac(YamlReader mac) {
  RadioMac& out = profile_.mac;
  mac.choice<int>("type", {{"csma", 0}});
  out.domain = mac.required<std::string>("domain");
  out.slot = time_within(mac, "slot", Nanoseconds{1'000}, Nanoseconds{10'000'000});
  out.sifs = time_within(mac, "sifs", Nanoseconds{1'000}, Nanoseconds{10'000'000});
  framing_.sifs = out.sifs;
  framing_.signal_extension = time_within(mac, "signal_extension", Nanoseconds{0}, Nanoseconds{1'000'000});
  YamlReader window = mac.child("contention_window");
  out.cw_min = whole_within(window, "min", 0, 32767);
  out.cw_max = whole_within(window, "max", 0, 32767);
  if (out.cw_max < out.cw_min) {
    window.fault("max", fmt::format("{} is below the minimum, {}", out.cw_max, out.cw_min));
  }
  out.tries = whole_within(mac, "tries", 1, 255);
  YamlReader queue = mac.child("queue");
  out.queue_frames = whole_within(queue, "frames", 1, 65535);
  read_rate_control(mac.child("rate_control"));
  if (const std::optional<std::string> multicast = needed<std::string>(mac, "multicast")) {
    out.multicast_mode = mode_index(mac, *multicast);
  }
}

void ProfileReader::read_rate_control(YamlReader control) {
  RateControl& out = profile_.mac.rate_control;
  out.type = control.choice<RateControl::Type>(
      "type", {{"ideal", RateControl::Type::kIdeal}, {"fixed", RateControl::Type::kFixed}});
  for (const std::string& name : control.list<std::string>("modes")) {
    out.modes.push_back(mode_index(control, name));
  }
  if (!control.absent() && out.modes.empty()) {
    control.fault("needs the key 'modes' with at least one mode");
  }
  if (out.type == RateControl::Type::kFixed && out.modes.size() > 1) {
    control.fault("modes", "fixed takes one mode");
  }
  if (out.type == RateControl::Type::kIdeal) {
    out.frame_bytes = bytes_within(control, "frame", 60, 65535);
  }
}

std::size_t ProfileReader::mode_index(YamlReader& where, const std::string& name) {
  auto& modes = profile_.phy.modes;
  const auto known = std::find_if(modes.begin(), modes.end(), [&](const RadioMode& mode) { return mode.name == name; });
  if (known != modes.end()) {
    return static_cast<std::size_t>(known - modes.begin());
  }
  try {
    const WifiMode mode = wifi_mode(name, format_, framing_);
    const int mcs = mcs_of(mode.coding);
    if (mcs < 0) {
      throw std::invalid_argument(fmt::format("the error model wifi_table has no curve for '{}'", name));
    }
    modes.push_back({name, wifi_phy_mode(mode, framing_), wifi_table_hazard(mcs)});
    return modes.size() - 1;
  } catch (const std::invalid_argument& error) {
    where.fault(error.what());
    return 0;
  }
}

void ProfileReader::read_channel(YamlReader channel) {
  profile_.channel.path_loss = read_path_loss(channel.child("path_loss"));
  if (std::optional<YamlReader> shadowing = channel.optional_child("shadowing")) {
    profile_.channel.shadowing = {read_spread(*shadowing, "los"), read_spread(*shadowing, "nlos")};
  }
}

PathLossModel ProfileReader::read_path_loss(YamlReader loss) {
  const auto model = loss.choice<PathLossModel>(
      "model", {{"friis", Friis{}}, {"log_distance", LogDistance{}}, {"tgpp_umi", TgppUmi{}}});
  if (!std::holds_alternative<LogDistance>(model)) {
    return model;
  }
  LogDistance law;
  law.exponent = number_within(loss, "exponent", 0, 10);
  law.reference_db = within<Decibels>(loss, "reference_loss", 0, 200);
  law.reference_m = within<Metres>(loss, "reference_distance", 0.001, 1e6);
  return law;
}

ShadowSpread ProfileReader::read_spread(YamlReader& shadowing, std::string_view sight) {
  YamlReader spread = shadowing.child(sight);
  return {within<Decibels>(spread, "sigma", 0, 30), within<Metres>(spread, "correlation", 0.01, 1e6)};
}

void ProfileReader::read_provenance() {
  for (auto& [key, entry] : root_.entries("provenance")) {
    Provenance provenance{key, "", entry.required<std::string>("source")};
    provenance.tag = entry.choice<std::string>("tag", {{"calc", "calc"},
                                                       {"ns3", "ns3"},
                                                       {"src", "src"},
                                                       {"2nd", "2nd"},
                                                       {"derived", "derived"},
                                                       {"unverified", "unverified"}});
    if (!root_.contains(key)) {
      entry.fault(fmt::format("speaks of '{}', which is not in this profile", key));
    }
    profile_.provenance.push_back(std::move(provenance));
  }
}

RadioProfile read_document(YamlDocument document) {
  RadioProfile profile = ProfileReader(document.root()).read();
  document.finish();
  return profile;
}

}  // namespace

RadioProfile load_radio_profile(const std::string& file) {
  return read_document(YamlDocument::load(file));
}

RadioProfile parse_radio_profile(const std::string& text, const std::string& file) {
  return read_document(YamlDocument::parse(text, file));
}

Names radio_profile_names(std::span<const std::string> folders) {
  std::set<std::string> names;
  for (const std::string& folder : folders) {
    std::error_code none;  // a folder that is not there has no profiles
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      if (entry.path().extension() == ".yaml") {
        names.insert(entry.path().stem());
      }
    }
  }
  return {names.begin(), names.end()};
}

std::string find_radio_profile(std::string_view name, std::span<const std::string> folders) {
  for (const std::string& folder : folders) {
    if (const fs::path file = fs::path(folder) / (std::string(name) + ".yaml"); fs::is_regular_file(file)) {
      return file;
    }
  }
  std::string places;
  for (const std::string& folder : folders) {
    places += (places.empty() ? "" : ", ") + folder;
  }
  throw std::runtime_error(
      fmt::format("no radio profile '{}' in {}; {}", name, places, hint_for(name, radio_profile_names(folders))));
}

}  // namespace hilgate
