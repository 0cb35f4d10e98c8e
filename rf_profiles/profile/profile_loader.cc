// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/profile_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "config/nearest.h"
#include "config/plain_text.h"
#include "config/range.h"
#include "config/yaml_reader.h"
#include "rf_profiles/profile/medium_access.h"
#include "rf_profiles/profile/profile_antenna.h"
#include "rf_profiles/profile/profile_channel.h"
#include "rf_profiles/profile/profile_modes.h"

namespace hilgate {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// Reads one profile; its members are filled in the order of the file.
class ProfileReader {
 public:
  explicit ProfileReader(YamlReader root) : root_(std::move(root)) {}
  RadioProfile read();

 private:
  void read_phy(YamlReader& phy);
  void read_hardware(YamlReader& spread);
  void read_mtu(ProfileModes& modes);
  void read_mac(YamlReader mac, ProfileModes& modes);
  void read_queue(YamlReader queue);
  void check_serial_payload(YamlReader& mac) const;
  void read_rate_control(YamlReader control, ProfileModes& modes);
  void check_band(YamlReader& channel) const;
  void read_provenance();
  void read_validation(YamlReader validation);

  YamlReader root_;
  RadioProfile profile_;
};

RadioProfile ProfileReader::read() {
  profile_.file = root_.file();
  profile_.id = root_.required<std::string>("id");
  if (!profile_.id.empty() && profile_.id != fs::path(profile_.file).stem()) {
    root_.fault("id", fmt::format("'{}' is not the name of the file, '{}'", profile_.id,
                                  fs::path(profile_.file).stem().string()));
  }
  profile_.title = root_.required<std::string>("title");
  YamlReader phy = root_.child("phy");
  read_phy(phy);
  ProfileModes modes(phy, profile_.phy);
  read_mtu(modes);
  read_mac(root_.child("mac"), modes);
  YamlReader channel = root_.child("channel");
  profile_.channel = read_channel(channel);
  check_band(channel);
  YamlReader errors = root_.child("errors");
  profile_.policy = errors.choice<ErrorPolicy>("policy", {{"fcs_drop", ErrorPolicy::kFcsDrop},
                                                          {"arq", ErrorPolicy::kArq},
                                                          {"corrupt_raw", ErrorPolicy::kCorruptRaw},
                                                          {"corrupt_fixsum", ErrorPolicy::kCorruptFixsum},
                                                          {"mark_only", ErrorPolicy::kMarkOnly}});
  read_provenance();
  if (std::optional<YamlReader> validation = root_.optional_child("validation")) {
    read_validation(std::move(*validation));
  }
  return std::move(profile_);
}

void ProfileReader::read_phy(YamlReader& phy) {
  RadioPhy& out = profile_.phy;
  out.frequency = within<Hertz>(phy, "frequency", 1e6, 300e9);
  out.bandwidth = within<Hertz>(phy, "bandwidth", 1, 10e9);
  out.noise_figure = within<Decibels>(phy, "noise_figure", 0, 40);
  out.tx_power = within<Dbm>(phy, "tx_power", -60, 60);
  YamlReader gain = phy.child("antenna_gain");
  out.tx_gain = within<Decibels>(gain, "tx", -40, 60);
  out.rx_gain = within<Decibels>(gain, "rx", -40, 60);
  if (std::optional<YamlReader> antenna = phy.optional_child("antenna")) {
    out.antenna = read_antenna(*antenna);
  }
  out.cable_loss = within<Decibels>(phy, "cable_loss", 0, 100);
  if (phy.has("sensitivity")) {
    out.sensitivity = within<Dbm>(phy, "sensitivity", -200, 0);
  }
  if (std::optional<YamlReader> spread = phy.optional_child("hardware_spread")) {
    read_hardware(*spread);
  }
}

void ProfileReader::read_hardware(YamlReader& spread) {
  constexpr double kMost = 100;  // dB^2
  const HardwareVariance variance{number_within(spread, "noise_db2", 0, kMost),
                                  number_within(spread, "covariance_db2", -kMost, kMost),
                                  number_within(spread, "power_db2", 0, kMost)};
  if (variance.noise_db2 * variance.power_db2 < variance.covariance_db2 * variance.covariance_db2 ||
      variance.noise_db2 == 0) {
    spread.fault(
        "covariance_db2",
        fmt::format("{:g} is not a covariance of the variances {:g} and {:g}; its square must not exceed their product",
                    variance.covariance_db2, variance.noise_db2, variance.power_db2));
  }
  profile_.phy.hardware = variance;
}

void ProfileReader::read_mtu(ProfileModes& modes) {
  constexpr std::uint32_t kLeastPacket = 28;  // IPv4's header and 8 bytes: less cannot even carry fragments
  profile_.mtu_bytes = bytes_within(root_, "mtu", kLeastPacket, 65535);
  std::optional<YamlReader> adaptation = root_.optional_child("adaptation");
  if (!adaptation) {
    return;
  }
  profile_.adaptation = adaptation->choice<Adaptation>("type", {{"drop_icmp", Adaptation::kDropIcmp},
                                                                {"ip_fragment", Adaptation::kIpFragment},
                                                                {"sixlowpan", Adaptation::kSixlowpan},
                                                                {"serial_stream", Adaptation::kSerialStream}});
  if (profile_.adaptation == Adaptation::kDropIcmp) {
    return;
  }
  if (profile_.adaptation == Adaptation::kSerialStream) {
    profile_.serial_payload = adaptation->choice<bool>("carries", {{"packets", false}, {"payload", true}}, false);
  }
  const std::uint32_t header = bytes_within(*adaptation, "header", 0, 1000);
  const std::uint32_t fragment = bytes_within(*adaptation, "fragment", 1, 65535);
  if (profile_.adaptation == Adaptation::kIpFragment) {
    // RFC 791, 3.2: every fragment has the header of 20 bytes, and all but the last multiples of 8 after it.
    constexpr std::uint32_t kIpHeader = 20;
    constexpr std::uint32_t kUnit = 8;
    if (fragment < kIpHeader + kUnit) {
      adaptation->fault("fragment",
                        fmt::format("{} B is too short for an IP fragment; the minimum is {} B, header and 8 bytes",
                                    fragment, kIpHeader + kUnit));
      return;
    }
    modes.set_fragments((fragment - kIpHeader) / kUnit * kUnit, header, kIpHeader);
  } else {
    modes.set_fragments(fragment, header, 0);
    modes.set_shared(profile_.serial_payload);
  }
}

void ProfileReader::read_mac(YamlReader mac, ProfileModes& modes) {
  RadioMac& out = profile_.mac;
  read_medium_access(mac, out, modes);
  out.domain = mac.required<std::string>("domain");
  if (mac.has("latency")) {
    out.latency = time_within(mac, "latency", Nanoseconds{0}, kLongestSpan);
  }
  out.tries = whole_within(mac, "tries", 1, 255);
  read_queue(mac.child("queue"));
  check_serial_payload(mac);
  read_rate_control(mac.child("rate_control"), modes);
  if (const std::optional<std::string> multicast = needed<std::string>(mac, "multicast")) {
    out.multicast_mode = modes.index_of(*multicast, mac);
  }
  const auto& made = profile_.phy.modes;
  const auto without =
      std::find_if(made.begin(), made.end(), [](const RadioMode& m) { return m.phy.rts.count() == 0; });
  if (out.rts_above && without != made.end()) {
    mac.fault("rts_threshold",
              fmt::format("the mode '{}' does not support RTS; modes of 802.11 do (wifi_*, dsss)", without->name));
  }
}

void ProfileReader::read_queue(YamlReader queue) {
  RadioMac& out = profile_.mac;
  if (!profile_.serial_payload) {
    out.queue_frames = whole_within(queue, "frames", 1, 65535);
    return;
  }
  constexpr std::uint32_t kShortestMessage = 8;  // MAVLink 1 without payload
  out.queue_bytes = bytes_within(queue, "bytes", 64, 65535);
  out.queue_frames = out.queue_bytes / kShortestMessage;
}

// Radio frames that several messages share have one fate, and no receiver could ask for some of them again.
void ProfileReader::check_serial_payload(YamlReader& mac) const {
  if (!profile_.serial_payload) {
    return;
  }
  if (profile_.mac.access != MediumAccess::kTdma) {
    mac.fault("type", "must be tdm with a window for a radio that `carries: payload`");
  }
  if (profile_.mac.mesh) {
    mac.fault("mesh", "a radio that `carries: payload` does not forward frames");
  }
  if (profile_.mac.tries != 1) {
    mac.fault("tries", "must be 1 for a radio that `carries: payload`");
  }
}

void ProfileReader::read_rate_control(YamlReader control, ProfileModes& modes) {
  RateControl& out = profile_.mac.rate_control;
  out.type = control.choice<RateControl::Type>("type", {{"ideal", RateControl::Type::kIdeal},
                                                        {"fixed", RateControl::Type::kFixed},
                                                        {"minstrel", RateControl::Type::kMinstrel},
                                                        {"reports", RateControl::Type::kReports}});
  for (const std::string& name : control.list<std::string>("modes")) {
    out.modes.push_back(modes.index_of(name, control));
  }
  if (!control.absent() && out.modes.empty()) {
    control.fault("misses the key 'modes' with at least one mode");
  }
  const auto& made = profile_.phy.modes;
  if (const auto& cell = profile_.mac.cell; cell && !cell->base && cell->uplink_bps && !out.modes.empty()) {
    const auto too_fast = [&](std::size_t mode) { return made[mode].phy.rate_bps > *cell->uplink_bps; };
    out.modes.erase(std::remove_if(out.modes.begin() + 1, out.modes.end(), too_fast), out.modes.end());
  }
  if (out.type == RateControl::Type::kReports &&
      std::ranges::any_of(out.modes, [&](std::size_t mode) { return !made[mode].adapted_snr; })) {
    control.fault("type", "reports needs modes of the format lte");
  }
  if (out.type == RateControl::Type::kFixed && out.modes.size() > 1) {
    control.fault("modes", "fixed needs exactly one mode");
  }
  if (out.type != RateControl::Type::kFixed) {
    out.frame_bytes = bytes_within(control, "frame", 60, 65535);
  }
}

// Errors of modes that do not send on many carriers at once have no effective SINR.
void ProfileReader::check_band(YamlReader& channel) const {
  const auto over_carriers = [](const RadioMode& mode) { return mode.beta > 0; };
  if (is_selective(profile_.channel.fading) && std::ranges::none_of(profile_.phy.modes, over_carriers)) {
    channel.fault("fading",
                  "echoes at delays of their own (delay_spread, impulse_response, traced) need modes of OFDM: formats "
                  "wifi_legacy, wifi_ht, wifi_vht, wifi_he and lte; the modes of this radio take the band as one");
  }
}

void ProfileReader::read_provenance() {
  for (auto& [key, entry] : root_.entries("provenance")) {
    Provenance provenance{key, "", entry.required<std::string>("source")};
    provenance.tag = entry.choice<std::string>("tag", {{"calc", "calc"},
                                                       {"ns3", "ns3"},
                                                       {"src", "src"},
                                                       {"2nd", "2nd"},
                                                       {"derived", "derived"},
                                                       {"assumption", "assumption"},
                                                       {"measured", "measured"},
                                                       {"unverified", "unverified"}});
    provenance.effect = entry.optional<std::string>("effect", "");
    if (provenance.effect.empty() == (provenance.tag == "assumption")) {
      entry.fault("effect", provenance.tag == "assumption"
                                ? "an assumption needs its effect on the range, or 'none on the range'"
                                : "is of an assumption alone; remove it, or use 'tag: assumption'");
    }
    if (!root_.contains(key)) {
      entry.fault(fmt::format("names '{}', which this profile does not have", key));
    }
    profile_.provenance.push_back(std::move(provenance));
  }
}

void ProfileReader::read_validation(YamlReader validation) {
  Validation& out = profile_.validation;
  if (std::optional<YamlReader> distance = validation.optional_child("distance")) {
    out.distance.emplace(within<Metres>(*distance, "from", 0, 1e9), within<Metres>(*distance, "to", 0, 1e9));
    if (out.distance->second.value <= out.distance->first.value) {
      distance->fault("to", "must be more than 'from'");
    }
  }
  out.rates = validation.optional<std::string>("rates", "");
  for (YamlReader& entry : validation.items("compared")) {
    Comparison one;
    one.with =
        entry.choice<std::string>("with", {{"measured", "measured"}, {"ns3", "ns3"}, {"closed_form", "closed_form"}});
    one.quantity = entry.required<std::string>("quantity");
    one.rows = entry.list<std::string>("rows");
    one.points = whole_within(entry, "points", 1, 1000000);
    one.median = entry.required<std::string>("median");
    one.most = entry.required<std::string>("most");
    out.compared.push_back(std::move(one));
  }
  if (out.compared.empty()) {
    validation.fault("compared", "needs one comparison at least; without any, leave 'validation' out");
  }
}

RadioProfile read_document(YamlDocument document) {
  RadioProfile profile = ProfileReader(document.root()).read();
  profile.references = document.references();
  document.finish([](YamlDocument& other) { ProfileReader(other.root()).read(); });
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
  throw std::runtime_error(fmt::format("radio profile '{}' not found in {}; {}", shown(name), places,
                                       hint_for(name, radio_profile_names(folders))));
}

}  // namespace hilgate
