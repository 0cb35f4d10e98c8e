// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/profile_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <utility>

#include "config/plain_text.h"
#include "config/range.h"
#include "rf_profiles/errors/effective_sinr.h"
#include "rf_profiles/errors/low_rate_error.h"
#include "rf_profiles/errors/lte.h"
#include "rf_profiles/errors/packet_loss.h"
#include "rf_profiles/errors/wifi_error.h"
#include "rf_profiles/phy/spreading.h"

namespace hilgate {
namespace {

constexpr auto kEthernetHeader = static_cast<std::int32_t>(PhyMode::kEthernetHeader);

/// The number after a prefix, as in "sf7"; throws std::invalid_argument unless it is in [low, high].
int numbered(const std::string& name, std::string_view prefix, int low, int high) {
  if (name.starts_with(prefix)) {
    try {
      return static_cast<int>(parse_whole(std::string_view(name).substr(prefix.size()), low, high));
    } catch (const std::invalid_argument&) {  // worded below
    }
  }
  throw std::invalid_argument(
      fmt::format("'{}' is not a mode of this format; allowed: {}{} to {}{}", shown(name), prefix, low, prefix, high));
}

/// A mode that sends byte after byte.
PhyMode byte_mode(double rate_bps, Nanoseconds preamble, std::uint32_t overhead_bytes, Nanoseconds ack) {
  constexpr std::uint32_t kBitsPerByte = 8;
  return {.preamble = preamble,
          .symbol = Nanoseconds{std::max<std::int64_t>(1, std::llround(kBitsPerByte * 1e9 / rate_bps))},
          .bits_per_symbol = kBitsPerByte,
          .service_bits = 0,
          .overhead_bytes = static_cast<std::int32_t>(overhead_bytes) - kEthernetHeader,
          .fragment_bytes = 0,
          .ack = ack,
          .rate_bps = rate_bps};
}

/// Of LoRa; 0: another modulation.
void set_spreading(PhyMode& phy, int spreading) {
  if (spreading > 0) {
    phy.spreading = static_cast<std::uint8_t>(spreading);
    phy.lock = phy.capture = kLoraCapture;
  }
}

/// One of the table; the first, with a fault, when no mode has that name.
const ErrorModel* read_error_model(YamlReader& phy) {
  std::vector<std::pair<std::string, const ErrorModel*>> models;
  for (const ErrorModel& model : error_models()) {
    models.emplace_back(model.name, &model);
  }
  const ErrorModel* const chosen = phy.choice<const ErrorModel*>("error_model", models);
  return chosen != nullptr ? chosen : error_models().data();
}

constexpr int kLeastSpreading = 5;  // of LoRa chips of 2.4 GHz
constexpr int kShannonSteps = 12;
constexpr double kShannonLowest = -6;  // dB, of the first step
constexpr double kShannonStep = 2.5;

}  // namespace

ProfileModes::ProfileModes(YamlReader phy, RadioPhy& radio) : radio_(radio), errors_(read_error_model(phy)) {
  radio.error_model = phy.optional<std::string>("error_model", "");
  if (errors_->reads_table) {
    read_table(phy.child("error_table"));
  }
  YamlReader modes = phy.child("modes");
  format_ = modes.choice<Format>("format", {{"wifi_legacy", Format::kWifiLegacy},
                                            {"wifi_ht", Format::kWifiHt},
                                            {"wifi_vht", Format::kWifiVht},
                                            {"wifi_he", Format::kWifiHe},
                                            {"dsss", Format::kDsss},
                                            {"serial", Format::kSerial},
                                            {"lora", Format::kLora},
                                            {"lte", Format::kLte},
                                            {"shannon", Format::kShannon}});
  if (format_ == Format::kWifiLegacy || has_qos()) {
    read_wifi(modes);
  } else if (format_ == Format::kSerial) {
    read_serial(modes);
  } else if (format_ == Format::kLora) {
    lora_.bandwidth = radio.bandwidth;
    lora_.coding = static_cast<int>(whole_within(modes, "coding", 1, 4));
    lora_.preamble_symbols = static_cast<int>(whole_within(modes, "preamble_symbols", 6, 65535));
  } else if (format_ == Format::kLte) {
    radio.out_of_sync = kLteOutOfSync;
    resource_blocks_ = modes.choice<int>("resource_blocks", {{"50", 50}, {"100", 100}});
  }
}

void ProfileModes::read_wifi(YamlReader& modes) {
  framing_.streams = whole_within(modes, "streams", 1, 4);
  framing_.guard = format_ == Format::kWifiHe ? time_within(modes, "guard", Nanoseconds{800}, Nanoseconds{3'200})
                                              : time_within(modes, "guard", Nanoseconds{400}, Nanoseconds{800});
  const double mhz = radio_.bandwidth.value / 1e6;  // any number, where it is a fault already
  framing_.width_mhz = mhz >= 0 && mhz <= 10e3 ? static_cast<unsigned>(mhz) : 0;
}

void ProfileModes::read_serial(YamlReader& modes) {
  for (YamlReader& item : modes.items("list")) {
    SerialFormat mode;
    mode.name = item.required<std::string>("name");
    mode.rate_bps = within<BitsPerSecond>(item, "rate", 1, 100e9).value;
    mode.preamble = time_within(item, "preamble", Nanoseconds{0}, Nanoseconds{1'000'000'000});
    mode.overhead_bytes = bytes_within(item, "overhead", 0, 1000);
    mode.ack = time_within(item, "ack", Nanoseconds{0}, Nanoseconds{1'000'000'000});
    if (errors_->name == "lora") {
      mode.spreading = static_cast<int>(whole_within(item, "spreading", kLeastSpreading, 12));
    }
    if (!serial_.empty() && mode.rate_bps <= serial_.back().rate_bps) {
      item.fault("rate", fmt::format("{:g} bit/s is not above the previous mode's {:g} bit/s; order modes by rate",
                                     mode.rate_bps, serial_.back().rate_bps));
    }
    serial_.push_back(mode);
  }
}

void ProfileModes::read_table(YamlReader table) {
  const auto format = table.choice<ErrorTableFormat>("format", {{"csv", ErrorTableFormat::kCsv},
                                                                {"emane_pcr", ErrorTableFormat::kEmanePcr},
                                                                {"wmediumd", ErrorTableFormat::kWmediumd}});
  const std::uint32_t bytes = bytes_within(table, "frame", 1, 65535);
  const std::optional<std::string> name = needed<std::string>(table, "file");
  const bool any_length = table.optional<bool>("any_length", false);
  if (table.has("link_spread")) {
    radio_.link_spread = {.share = number_within(table, "link_spread", 0, LinkSpread::kMost),
                          .frame_bits = 8.0 * bytes};
  }
  if (!name) {
    return;
  }
  try {
    // A path of its own, or next to the profile.
    table_ = read_error_table(table.file_named(*name).string(), format, bytes);
    table_.any_length = table_.any_length || any_length;
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) {
      table.fault("file", fault.line_text());
    }
  }
}

void ProfileModes::set_timing(Nanoseconds sifs, Nanoseconds signal_extension) {
  framing_.sifs = sifs;
  framing_.signal_extension = signal_extension;
}

void ProfileModes::set_fragments(std::uint32_t fragment_bytes, std::uint32_t header_bytes,
                                 std::uint32_t repeated_bytes) {
  fragment_bytes_ = fragment_bytes;
  fragment_header_ = header_bytes;
  repeated_bytes_ = repeated_bytes;
}

std::size_t ProfileModes::index_of(const std::string& name, const YamlReader& where) {
  auto& modes = radio_.modes;
  const auto known = std::find_if(modes.begin(), modes.end(), [&](const RadioMode& mode) { return mode.name == name; });
  if (known != modes.end()) {
    return static_cast<std::size_t>(known - modes.begin());
  }
  try {
    RadioMode mode = make(name);
    mode.phy.fragment_bytes = fragment_bytes_;
    mode.phy.fragment_header = fragment_header_;
    mode.phy.repeated_bytes = repeated_bytes_;
    mode.phy.shared = shared_;
    mode.phy.overhead_bytes += static_cast<std::int32_t>(more_overhead_);
    if (errors_->reads_table && table_.any_length) {
      mode.phy.frame_error_bits = static_cast<std::uint32_t>(8 * table_.frame_bytes);
    }
    mode.phy.needed_snr = needed_snr(mode.phy, mode.hazard);
    if (mode.ack_hazard) {
      mode.phy.control_snr = needed_snr(mode.phy.ack_bits, mode.ack_hazard);
    } else {
      mode.phy.control_snr = mode.phy.needed_snr;
      mode.phy.ack_bits = 0;
    }
    modes.push_back(std::move(mode));
    return modes.size() - 1;
  } catch (const std::invalid_argument& error) {
    where.fault(error.what());
  } catch (const std::runtime_error& error) {  // an error model that has no curve for the mode
    where.fault(fmt::format("'{}': {}", shown(name), error.what()));
  }
  return 0;
}

RadioMode ProfileModes::make(const std::string& name) const {
  switch (format_) {
    case Format::kDsss:
      return make_dsss(name);
    case Format::kSerial:
      return make_serial(name);
    case Format::kLora:
      return make_lora(name);
    case Format::kLte:
      return make_lte(name);
    case Format::kShannon:
      return make_shannon(name);
    case Format::kWifiLegacy:
    case Format::kWifiHt:  // the radios of 2.4 GHz have DSSS as well (IEEE 802.11-2020, clause 18)
      return name.starts_with("dsss") ? make_dsss(name) : make_wifi(name);
    default:
      return make_wifi(name);
  }
}

RadioMode ProfileModes::make_dsss(const std::string& name) const {
  constexpr Hertz kDsssBand{22e6};
  constexpr std::uint32_t kMacHeaderLlcFcs = 36;
  constexpr Nanoseconds kLongPreamble{192'000};
  constexpr std::uint32_t kAckBits = 14 * 8;
  constexpr std::uint32_t kRtsBits = 20 * 8;
  const std::vector<std::pair<std::string, double>> rates{
      {"dsss1", 1e6}, {"dsss2", 2e6}, {"dsss5.5", 5.5e6}, {"dsss11", 11e6}};
  for (const auto& [known, rate_bps] : rates) {
    if (known == name) {
      const double ack_bps = std::min(rate_bps, 2e6);
      const Nanoseconds ack = framing_.sifs + kLongPreamble + Nanoseconds{std::llround(kAckBits / ack_bps * 1e9)};
      PhyMode phy = byte_mode(rate_bps, kLongPreamble, kMacHeaderLlcFcs, ack);
      phy.ack_bits = kAckBits;
      phy.rts_bits = kRtsBits;
      phy.rts = kLongPreamble + Nanoseconds{std::llround(kRtsBits / ack_bps * 1e9)};
      phy.sifs = framing_.sifs;
      return {name, phy, in_band(dsss_hazard(rate_bps), kDsssBand), in_band(dsss_hazard(ack_bps), kDsssBand)};
    }
  }
  throw std::invalid_argument(
      fmt::format("'{}' is not a mode of this format; allowed: dsss1, dsss2, dsss5.5, dsss11", shown(name)));
}

HazardCurve ProfileModes::serial_errors(const SerialFormat& mode) const {
  return hazard_of(*errors_, SerialMode{mode.name, radio_.bandwidth.value / mode.rate_bps, mode.spreading, &table_});
}

RadioMode ProfileModes::make_serial(const std::string& name) const {
  std::string names;
  for (const SerialFormat& mode : serial_) {
    if (mode.name == name) {
      PhyMode phy = byte_mode(mode.rate_bps, mode.preamble, mode.overhead_bytes, mode.ack);
      const Nanoseconds answer = mode.ack - framing_.sifs;  // what follows the turnaround, at the mode's own rate
      phy.ack_bits = answer.count() > 0
                         ? static_cast<std::uint32_t>(mode.rate_bps * 1e-9 * static_cast<double>(answer.count()))
                         : 0;
      set_spreading(phy, mode.spreading);
      phy.lock = errors_->lock.value_or(phy.lock);
      return {name, phy, serial_errors(mode), phy.ack_bits > 0 ? serial_errors(mode) : HazardCurve{}};
    }
    names += (names.empty() ? "" : ", ") + mode.name;
  }
  throw std::invalid_argument(fmt::format("'{}' is not a mode of this format; allowed: {}", shown(name), names));
}

RadioMode ProfileModes::make_lora(const std::string& name) const {
  LoraFraming framing = lora_;
  framing.spreading = numbered(name, "sf", 7, 12);
  const double symbol_ns = framing.symbol_s() * 1e9;
  const bool optimised = framing.symbol_s() > 16e-3;
  constexpr double kPreambleTail = 4.25;
  constexpr int kFirstPayloadSymbols = 8;
  PhyMode phy;
  phy.preamble =
      Nanoseconds{std::llround((framing.preamble_symbols + kPreambleTail + kFirstPayloadSymbols) * symbol_ns)};
  // The payload comes in groups of symbols, one code word per bit of the spreading factor.
  phy.symbol = Nanoseconds{std::llround((framing.coding + 4) * symbol_ns)};
  phy.bits_per_symbol = static_cast<std::uint32_t>(4 * (framing.spreading - (optimised ? 2 : 0)));
  phy.service_bits = 28 + 16 - 4 * framing.spreading;
  phy.overhead_bytes = -kEthernetHeader;
  phy.rate_bps = framing.bit_rate_bps();
  set_spreading(phy, framing.spreading);
  return {name, phy, lora_hazard(framing.spreading)};
}

RadioMode ProfileModes::make_lte(const std::string& name) const {
  const int mcs = numbered(name, "mcs", 0, kLteMcsCount - 1);
  constexpr std::uint32_t kPdcpRlcMac = 8;
  const double rate_bps = lte_block_bits(mcs, resource_blocks_) * 1e3;  // one block per millisecond
  RadioMode mode{name, byte_mode(rate_bps, Nanoseconds{0}, kPdcpRlcMac, Nanoseconds{0}),
                 lte_hazard(mcs, resource_blocks_)};
  mode.adapted_snr = lte_adapted_sinr(mcs);
  mode.efficiency = lte_mcs_efficiency(mcs);
  const unsigned points = lte_points(mcs);
  mode.beta = eesm_beta(points, *mode.efficiency / std::bit_width(points - 1));
  return mode;
}

RadioMode ProfileModes::make_shannon(const std::string& name) const {
  const double least_db = kShannonLowest + kShannonStep * numbered(name, "step", 0, kShannonSteps - 1);
  constexpr std::uint32_t kHeaders = 8;
  const double rate_bps = attenuated_shannon(Decibels{least_db}) * radio_.bandwidth.value;
  const HazardCurve cliff = [least_db](double snr_db) {
    return snr_db >= least_db ? 0 : std::numeric_limits<double>::infinity();
  };
  return {name, byte_mode(rate_bps, Nanoseconds{0}, kHeaders, Nanoseconds{0}), cliff};
}

}  // namespace hilgate

// The modes of 802.11's OFDM radios with their errors, and those of what answers and announces their frames.

namespace hilgate {

// SNRs are those of the whole channel. A narrower frame has all power in its own part, and less noise.
HazardCurve ProfileModes::in_band(HazardCurve curve, Hertz width) const {
  const double more_db = db_of(radio_.bandwidth.value / width.value);
  if (!curve || errors_->reads_table || more_db == 0) {
    return curve;
  }
  return [curve = std::move(curve), more_db](double snr_db) { return curve(snr_db + more_db); };
}

// A narrower frame has a greater SNR, by which its exponentials are.
double ProfileModes::beta_in(const WifiCoding& coding, Hertz width) const {
  const double code_rate = static_cast<double>(coding.numerator) / coding.denominator;
  return eesm_beta(coding.points, code_rate) * (errors_->reads_table ? 1 : width.value / radio_.bandwidth.value);
}

RadioMode ProfileModes::make_wifi(const std::string& name) const {
  const WifiFormat format = format_ == Format::kWifiLegacy ? WifiFormat::kLegacy
                            : format_ == Format::kWifiHt   ? WifiFormat::kHt
                            : format_ == Format::kWifiHe   ? WifiFormat::kHe
                                                           : WifiFormat::kVht;
  constexpr Hertz kLegacyBand{20e6};
  const std::size_t at = name.find('@');
  WifiFraming framing = framing_;
  Hertz width = radio_.bandwidth;
  if (at != std::string::npos) {
    framing.width_mhz = narrower_mhz(name, at);
    width = Hertz{framing.width_mhz * 1e6};
  }
  const WifiMode mode = wifi_mode(std::string_view(name).substr(0, at), format, framing);
  width = mode.format == WifiFormat::kLegacy ? std::min(kLegacyBand, width) : width;
  const PhyMode phy = wifi_phy_mode(mode, framing);
  const double per_stream_bps = phy.rate_bps / (mode.format == WifiFormat::kLegacy ? 1 : framing.streams);
  RadioMode made{name, phy, in_band(wifi_errors(mode.name, mode, per_stream_bps, width), width)};
  made.beta = beta_in(mode.coding, width);
  if (!errors_->reads_table) {
    // Answers and announcements are legacy frames, repeated side by side in wider channels: receivers add the copies
    // up.
    const WifiMode control = control_mode(mode.coding);
    const Hertz band = std::min(kLegacyBand, radio_.bandwidth);
    made.ack_hazard = in_band(wifi_errors(control.name, control, wifi_phy_mode(control, framing).rate_bps, band), band);
    made.ack_beta = beta_in(control.coding, band);
  }
  return made;
}

// As in "mcs3@20".
unsigned ProfileModes::narrower_mhz(const std::string& name, std::size_t at) const {
  for (const unsigned mhz : {20U, 40U, 80U}) {
    if (std::string_view(name).substr(at + 1) == std::to_string(mhz) && mhz < framing_.width_mhz) {
      return mhz;
    }
  }
  throw std::invalid_argument(fmt::format("'{}' has a width that the channel of {} MHz does not have; allowed: {}",
                                          shown(name), framing_.width_mhz, "@20, @40, @80 below it"));
}

HazardCurve ProfileModes::wifi_errors(const std::string& name, const WifiMode& mode, double rate_bps,
                                      Hertz bandwidth) const {
  const double signal_per_bit = bandwidth.value * mode.coding.numerator / mode.coding.denominator / rate_bps;
  return hazard_of(*errors_, OfdmMode{name, mode.coding, signal_per_bit, &table_});
}

}  // namespace hilgate
