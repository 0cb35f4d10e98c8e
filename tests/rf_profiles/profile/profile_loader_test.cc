// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/profile_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "config/config_file.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kFolder = HILGATE_SOURCE_DIR "/rf_profiles/profiles";
const std::string kFile = kFolder + "/wifi_11n_2g4_adhoc.yaml";

std::string adhoc_text() {
  std::ostringstream text;
  text << std::ifstream(kFile).rdbuf();
  return text.str();
}

/// The profile's faults after one text in it was replaced, without the name of the file.
std::vector<std::string> faults_with(const std::string& from, const std::string& to) {
  std::string text = adhoc_text();
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::vector<std::string> faults;
  try {
    parse_radio_profile(text, "wifi_11n_2g4_adhoc.yaml");
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) {
      faults.push_back(fault.path + ": " + fault.text);
      EXPECT_GT(fault.line, 0);
    }
  }
  return faults;
}

TEST(ProfileLoader, ReadsTheAdHocProfile) {
  const RadioProfile profile = load_radio_profile(kFile);
  EXPECT_EQ(profile.id, "wifi_11n_2g4_adhoc");
  EXPECT_DOUBLE_EQ(profile.phy.frequency.value, 2.412e9);
  EXPECT_DOUBLE_EQ(profile.phy.tx_power.value, 16.02);
  EXPECT_NEAR(profile.phy.noise_floor().value, -93.965, 1e-3);
  EXPECT_EQ(profile.phy.modes.size(), 9u);
  EXPECT_EQ(profile.phy.modes[profile.mac.multicast_mode].name, "dsss1");
  EXPECT_EQ(profile.mac.aggregation.frames, 64u);
  EXPECT_EQ(profile.mac.difs(), Nanoseconds{50'000});
  EXPECT_EQ(profile.mac.tries, 7u);
  EXPECT_EQ(profile.mtu_bytes, 2296u);
  EXPECT_EQ(profile.policy, ErrorPolicy::kArq);
  EXPECT_TRUE(std::holds_alternative<TgppUmi>(profile.channel.path_loss));
  EXPECT_DOUBLE_EQ(profile.channel.shadowing.nlos.correlation_m, 13);
}

TEST(ProfileLoader, NamesFaultAndAllowedValues) {
  EXPECT_THAT(faults_with("noise_figure: 7 dB", "noise_figure: 7"),
              ElementsAre("phy.noise_figure: '7' has no unit; a ratio needs one of dB, dBi; example: 3 dB"));
  EXPECT_THAT(
      faults_with("  error_model: wifi_table",
                  "  hardware_spread: {noise_db2: 1, covariance_db2: -3, power_db2: 6}\n"
                  "  error_model: wifi_table"),
      ElementsAre("phy.hardware_spread.covariance_db2: -3 is not a covariance of the variances 1 and 6; its square "
                  "must not exceed their product"));
  EXPECT_THAT(faults_with("bandwidth: 20 MHz", "bandwidth: -20 MHz"),
              ElementsAre("phy.bandwidth: -2e+07 is out of range; allowed: 1 to 1e+10 in its base unit"));
  EXPECT_THAT(faults_with("noise_figure: 7 dB", "noise_figrue: 7 dB"),
              testing::UnorderedElementsAre(
                  "phy: misses the key 'noise_figure'",
                  "phy.noise_figrue: unknown key 'noise_figrue'; did you mean 'noise_figure'?",
                  "provenance.phy.noise_figure: names 'phy.noise_figure', which this profile does not have"));
  EXPECT_THAT(faults_with("mcs7]", "mcs9]"),
              ElementsAre(HasSubstr("'mcs9' is not a mode of this format; allowed: ofdm6")));
  EXPECT_THAT(faults_with("error_model: wifi_table", "error_model: wmediumd"),
              ElementsAre("mac.rate_control: 'mcs7': wmediumd: unknown code rate; allowed: 1/2, 2/3, 3/4"));
  EXPECT_THAT(faults_with("error_model: wifi_table", "error_model: lora"),
              testing::Contains(HasSubstr(
                  "'mcs0': needs one of the error models wifi_table, wifi_nist, wifi_yans, wmediumd, table")));
  EXPECT_THAT(faults_with("max: 1023", "max: 7"), ElementsAre("mac.contention_window.max: 7 is below the minimum, 15"));
  EXPECT_THAT(faults_with("mtu: 2296 B", "mtu: 0 B"),
              ElementsAre("mtu: 0 B is out of range; allowed: 28 B to 65535 B"));
  EXPECT_THAT(faults_with("tries: 7", "tries: 0"), ElementsAre("mac.tries: 0 is out of range; allowed: 1 to 255"));
  EXPECT_THAT(faults_with("model: tgpp_umi", "model: tgp_umi"),
              ElementsAre("channel.path_loss.model: 'tgp_umi' is not a known value; did you mean 'tgpp_umi'?"));
  EXPECT_THAT(
      faults_with("{tag: src, source: \"IEEE 802.11-2020, 18.4.5: ERP\"}", "{tag: guessed, source: \"Ethernet\"}"),
      ElementsAre(HasSubstr("'guessed' is not a known value")));
  EXPECT_THAT(faults_with("id: wifi_11n_2g4_adhoc", "id: other"),
              ElementsAre("id: 'other' is not the name of the file, 'wifi_11n_2g4_adhoc'"));
  EXPECT_THAT(faults_with("{model: tgpp_umi}", "{model: log_distance, exponent: 30}"),
              testing::UnorderedElementsAre("channel.path_loss: misses the key 'reference_loss'",
                                            "channel.path_loss: misses the key 'reference_distance'",
                                            "channel.path_loss.exponent: 30 is out of range; allowed: 0 to 10"));
}

std::string fading_of(const std::string& los) {
  return "channel:\n  fading: {los: " + los + ", nlos: {type: none}}\n";
}

TEST(ProfileLoader, ReadsDelaysOfFading) {
  std::string text = adhoc_text();
  text.replace(text.find("channel:\n"), 9, fading_of("{type: tdl, line: TDL-C, delay_spread: 50ns}"));
  const RadioProfile profile = parse_radio_profile(text, "wifi_11n_2g4_adhoc.yaml");
  EXPECT_TRUE(is_selective(profile.channel.fading));
  EXPECT_NEAR(std::get<TdlFading>(profile.channel.fading.los).waves().delays_s.at(5), 0.6366 * 50e-9, 1e-15);
  EXPECT_FALSE(is_selective(FadingLaw{TdlFading{.line = "TDL-C"}}));
  EXPECT_THAT(
      faults_with("channel:\n", fading_of("{type: tdl, delay_spread: 20us}")),
      ElementsAre(HasSubstr("channel.fading.los.delay_spread: 20000 ns is out of range; allowed: 1 ns to 10000 ns")));
  EXPECT_THAT(faults_with("channel:\n", fading_of("{type: impulse_response, file: no-such.csv}")),
              ElementsAre(HasSubstr("channel.fading.los.file: ")));
  EXPECT_THAT(faults_with("channel:\n", fading_of("{type: impulse_response}")),
              ElementsAre("channel.fading.los: misses the key 'file'"));
}

// Modes of other kinds have no effective SINR.
TEST(ProfileLoader, DelaysOfFadingNeedOfdm) {
  std::ostringstream sik;
  sik << std::ifstream(kFolder + "/sik_915_64k.yaml").rdbuf();
  std::string text = sik.str();
  for (const char* law : {"{type: tdl, line: TDL-A, delay_spread: 50ns}", "{type: traced}"}) {
    std::string with = text;
    with.replace(with.find("channel:\n"), 9, fading_of(law));
    try {
      parse_radio_profile(with, "sik_915_64k.yaml");
      ADD_FAILURE() << law;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("channel.fading: echoes at delays of their own"));
      EXPECT_THAT(error.what(), HasSubstr("need modes of OFDM"));
    }
  }
}

TEST(ProfileLoader, AnAssumptionHasItsEffect) {
  const std::string sourced = "mac.sifs: {tag: src, source: \"IEEE 802.11-2020, 18.4.5: ERP\"}";
  EXPECT_THAT(
      faults_with(sourced, "mac.sifs: {tag: assumption, source: \"usual\"}"),
      ElementsAre("provenance.mac.sifs.effect: an assumption needs its effect on the range, or 'none on the range'"));
  EXPECT_THAT(
      faults_with(sourced, "mac.sifs: {tag: src, source: \"IEEE 802.11-2020, 18.4.5: ERP\", effect: \"none\"}"),
      ElementsAre("provenance.mac.sifs.effect: is of an assumption alone; remove it, or use 'tag: assumption'"));
  EXPECT_THAT(faults_with(sourced, "mac.sifs: {tag: assumption, source: \"usual\", effect: \"none on the range\"}"),
              testing::IsEmpty());
}

TEST(ProfileLoader, ReadsTheComparisonsOfAProfile) {
  const Validation validation = load_radio_profile(kFile).validation;
  ASSERT_EQ(validation.compared.size(), 3U);
  EXPECT_EQ(validation.compared[0].with, "ns3");
  EXPECT_EQ(validation.compared[0].points, 42U);
  EXPECT_EQ(validation.distance->second.value, 5000);
  EXPECT_TRUE(load_radio_profile(kFolder + "/wire_1g.yaml").validation.compared.empty());
  EXPECT_THAT(faults_with("from: 10 m, to: 5 km", "from: 10 m, to: 5 m"),
              ElementsAre("validation.distance.to: must be more than 'from'"));
  EXPECT_THAT(faults_with("with: ns3", "with: hearsay"), ElementsAre(HasSubstr("'hearsay' is not a known value")));
}

TEST(ProfileLoader, FewValuesOfShippedProfilesAreUnverified) {
  std::size_t unverified = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    for (const Provenance& one : load_radio_profile(entry.path().string()).provenance) {
      unverified += one.tag == "unverified" ? 1 : 0;
    }
  }
  EXPECT_LT(unverified, 60U);
}

// What cannot be: a fault that names the file, the line, the key and what is allowed.
// EMANE's curves with pktsize 0 hold for frames of any length.
TEST(ProfileLoader, APacketCompletionCurveOfAnyLengthHoldsForAllFrames) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("hilgate-curve-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "curve.xml") << "<pcr><table pktsize=\"0\"><row sinr=\"3.5\" por=\"17.5\"/>"
                                         "<row sinr=\"4.0\" por=\"20\"/></table></pcr>";
  std::ostringstream text;
  text << std::ifstream(kFolder + "/mica2_concurrent.yaml").rdbuf();
  std::string profile_text = text.str();
  const auto change = [&](const std::string& from, const std::string& to) {
    for (auto at = profile_text.find(from); at != std::string::npos; at = profile_text.find(from, at + to.size())) {
      profile_text.replace(at, from.size(), to);
    }
  };
  change("error_model: ncfsk", "error_model: table\n  error_table: {format: emane_pcr, file: " +
                                   (folder / "curve.xml").string() + ", frame: 1500 B}");
  change("fsk19", "rate0");
  const RadioProfile profile = parse_radio_profile(profile_text, "mica2_concurrent.yaml");
  std::filesystem::remove_all(folder);
  const RadioMode& mode = profile.phy.modes.front();
  for (const std::uint32_t length : {60U, 1514U}) {
    const double bits = static_cast<double>(mode.phy.error_bits(length));
    EXPECT_NEAR(frame_error_rate(mode.hazard(3.9), bits), 0.805, 1e-9) << length;
    EXPECT_EQ(frame_error_rate(mode.hazard(4.1), bits), 0) << length;
  }
  EXPECT_LT(mode.phy.air_bits(60), mode.phy.air_bits(1514)) << "the time on the air is that of the length";
}

TEST(ProfileLoader, NamesThePlaceOfAFault) {
  const auto first_fault = [](const std::string& from, const std::string& to) {
    std::string text = adhoc_text();
    text.replace(text.find(from), from.size(), to);
    try {
      parse_radio_profile(text, "wifi_11n_2g4_adhoc.yaml");
    } catch (const ConfigError& error) {
      return error.faults().front().line_text();
    }
    return std::string();
  };
  const std::string file = "wifi_11n_2g4_adhoc.yaml:";
  EXPECT_EQ(first_fault("bandwidth: 20 MHz", "bandwidth: -20 MHz"),
            file + "9: phy.bandwidth: -2e+07 is out of range; allowed: 1 to 1e+10 in its base unit");
  EXPECT_THAT(first_fault("noise_figure: 7 dB", "noise_figure: nan dB"), HasSubstr(file + "10: phy.noise_figure: "));
  EXPECT_THAT(first_fault("mtu: 2296 B", "mtu: 20 B"),
              HasSubstr("mtu: 20 B is out of range; allowed: 28 B to 65535 B"));
  const std::string serial =
      "modes:\n    format: serial\n    list:\n"
      "      - {name: mcs0, rate: 2 Mbit/s, preamble: 1us, overhead: 0 B, ack: 0us}\n"
      "      - {name: mcs1, rate: 1 Mbit/s, preamble: 1us, overhead: 0 B, ack: 0us}";
  EXPECT_THAT(
      first_fault("modes: {format: wifi_ht, streams: 1, guard: 800ns}", serial),
      testing::AllOf(HasSubstr(file + "19: phy.modes.list"),
                     HasSubstr("1e+06 bit/s is not above the previous mode's 2e+06 bit/s; order modes by rate")));
}

TEST(ProfileLoader, LoRaByteByByteNeedsItsSpreading) {
  std::ifstream file(kFolder + "/elrs_2g4_250.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto fault = [&text](const std::string& to) {
    const std::string from = ", spreading: 6";
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    try {
      parse_radio_profile(changed, "elrs_2g4_250.yaml");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault(", spreading: 12"), "");
  EXPECT_THAT(fault(""), HasSubstr("phy.modes.list[0]: misses the key 'spreading'"));
  EXPECT_THAT(fault(", spreading: 4"), HasSubstr("phy.modes.list[0].spreading: 4 is out of range; allowed: 5 to 12"));
}

TEST(ProfileLoader, RadioOnASerialPortCountsBytes) {
  const RadioProfile sik = load_radio_profile(kFolder + "/sik_915_64k.yaml");
  EXPECT_TRUE(sik.serial_payload);
  EXPECT_EQ(sik.mac.queue_bytes, 1850U);
  EXPECT_TRUE(sik.phy.modes.front().phy.shared);
  EXPECT_FALSE(load_radio_profile(kFolder + "/mica2_cc1000.yaml").serial_payload) << "whole packets, as a stream";
  std::ifstream file(kFolder + "/sik_915_64k.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto fault = [&text](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    try {
      parse_radio_profile(changed, "sik_915_64k.yaml");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(fault("  tries: 1\n", "  tries: 3\n"),
              HasSubstr("mac.tries: must be 1 for a radio that `carries: payload`"));
  EXPECT_THAT(fault("{bytes: 1850 B}", "{frames: 8}"), HasSubstr("mac.queue: misses the key 'bytes'"));
  EXPECT_THAT(fault("  window: 114240us             # each end has the air in turn, for three full packets\n"
                    "  silence: 4160us\n",
                    "  guard: 1ms\n"),
              HasSubstr("mac.type: must be tdm with a window"));
}

TEST(ProfileLoader, ReadsHowRadiosShareTheAir) {
  const auto load = [](const char* name) { return load_radio_profile(kFolder + "/" + name + ".yaml").mac; };
  EXPECT_EQ(load("wifi_11ac_80").aggregation.frames, 64u);
  EXPECT_EQ(load("wifi_11ag").aggregation.frames, 1u);
  EXPECT_EQ(load("sik_915_64k").tdma_slot, Nanoseconds{114'240'000});
  EXPECT_DOUBLE_EQ(load("lora_sx1276_sf7").duty.share, 0.01);
  EXPECT_EQ(load("lte_cat4").combining->round_trip, Nanoseconds{8'000'000});
  std::string text = adhoc_text();
  text.replace(text.find("type: ideal"), 11, "type: minstrel");
  const RadioProfile profile = parse_radio_profile(text, "wifi_11n_2g4_adhoc.yaml");
  EXPECT_EQ(profile.mac.rate_control.type, RateControl::Type::kMinstrel);
  EXPECT_DOUBLE_EQ(profile.mac.carrier_sense->value, -82);
  EXPECT_DOUBLE_EQ(load("xbee_802154").carrier_sense->value, -75);
  EXPECT_DOUBLE_EQ(load("cc2420").carrier_sense->value, -77);
  EXPECT_FALSE(load("mica2_cc1000").carrier_sense);
  EXPECT_THAT(faults_with("  tries: 7", "  duty_cycle: {share: 2}\n  tries: 7"),
              testing::Contains(HasSubstr("mac.duty_cycle: belongs to type ")))
      << "csma has none";
}

TEST(ProfileLoader, ReadsTheLimitOfLongFrames) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = adhoc_text();
    text.replace(text.find(from), from.size(), to);
    return parse_radio_profile(text, "wifi_11n_2g4_adhoc.yaml");
  };
  const RadioProfile plain = load_radio_profile(kFile);
  EXPECT_FALSE(plain.mac.rts_above) << "off, as dot11RTSThreshold is";
  EXPECT_EQ(plain.adaptation, Adaptation::kDrop);
  EXPECT_EQ(with("  tries: 7", "  rts_threshold: 500 B\n  tries: 7").mac.rts_above, 500u);
  EXPECT_EQ(with("mtu: 2296 B", "mtu: 576 B\nadaptation: {type: drop_icmp}").adaptation, Adaptation::kDropIcmp);
  EXPECT_THAT(faults_with("  tries: 7", "  rts_threshold: 70 kB\n  tries: 7"),
              testing::Contains(HasSubstr("rts_threshold")));
  EXPECT_THAT(faults_with("  tries: 7", "  cell: {duplex: fdd, role: user}\n  tries: 7"),
              testing::Contains(HasSubstr("mac.cell: belongs to type ")))
      << "csma has none";
}

// A frame of 20 MHz in a channel of 80 has a quarter of the noise: 6 dB. DSSS is 22 MHz wide.
TEST(ProfileLoader, EachModeHasTheNoiseOfItsOwnBandwidth) {
  RadioProfile wide = load_radio_profile(kFolder + "/wifi_11ac_80.yaml");
  const RadioProfile narrow = load_radio_profile(kFolder + "/wifi_11ag.yaml");
  const auto mode = [](const RadioProfile& profile, const std::string& name) {
    return *std::ranges::find(profile.phy.modes, name, &RadioMode::name);
  };
  for (const double snr_db : {-3.0, 0.0, 2.0}) {
    EXPECT_NEAR(mode(wide, "ofdm6").hazard(snr_db - db_of(4)), mode(narrow, "ofdm6").hazard(snr_db), 1e-12);
    EXPECT_NEAR(mode(wide, "mcs0").ack_hazard(snr_db - db_of(4)), mode(narrow, "ofdm6").ack_hazard(snr_db), 1e-12);
  }
  EXPECT_NEAR(mode(wide, "ofdm6").phy.needed_snr.value + db_of(4), mode(narrow, "ofdm6").phy.needed_snr.value, 0.01);
  std::string text = adhoc_text();
  text.replace(text.find("bandwidth: 20 MHz"), 17, "bandwidth: 40 MHz");
  text.replace(text.find("modes: [mcs0"), 12, "modes: [dsss1, mcs0@20, mcs0");
  const RadioProfile both = parse_radio_profile(text, "wifi_11n_2g4_adhoc.yaml");
  const RadioProfile plain = load_radio_profile(kFile);
  for (const double snr_db : {-1.0, 1.0}) {
    EXPECT_NEAR(mode(both, "mcs0@20").hazard(snr_db - db_of(2)), mode(plain, "mcs0").hazard(snr_db), 1e-12);
    EXPECT_NEAR(mode(both, "mcs0").hazard(snr_db), mode(plain, "mcs0").hazard(snr_db), 1e-12);
  }
  EXPECT_EQ(mode(both, "mcs0@20").phy.air_time(1514), mode(plain, "mcs0").phy.air_time(1514));
  EXPECT_THAT(faults_with("modes: [mcs0", "modes: [mcs0@40, mcs0"), testing::Contains(HasSubstr("20 MHz")));
}

// QoS data of best effort has AIFSN 3; frames of DCF wait DIFS, which is 2.
TEST(ProfileLoader, RadiosWithQosWaitAifs) {
  using namespace std::chrono_literals;
  const auto load = [](const char* name) { return load_radio_profile(kFolder + "/" + name + ".yaml").mac; };
  EXPECT_EQ(load("wifi_11n_2g4_adhoc").aifs(), 10us + 3 * 20us);
  EXPECT_EQ(load("wifi_11ac_80").aifs(), 16us + 3 * 9us);
  EXPECT_EQ(load("wifi_11ag").aifs(), 16us + 2 * 9us);
  std::string text = adhoc_text();
  text.replace(text.find("  edca: {}"), 10, "  edca: {best_effort: {aifsn: 7}}");
  EXPECT_EQ(parse_radio_profile(text, "wifi_11n_2g4_adhoc.yaml").mac.aifs(), 10us + 7 * 20us);
  text.replace(text.find("  edca: {best_effort: {aifsn: 7}}"), 33, "  aifsn: 5");
  const std::size_t source = text.find("  mac.edca: ");
  text.erase(source, text.find('\n', source) + 1 - source);
  EXPECT_EQ(parse_radio_profile(text, "wifi_11n_2g4_adhoc.yaml").mac.aifs(), 10us + 5 * 20us);
  EXPECT_THAT(faults_with("  edca: {}", "  edca: {}\n  aifsn: 5"),
              testing::Contains(HasSubstr("`edca.best_effort.aifsn`")));
}

// Stations of 802.11n and later and of 802.11s are QoS stations.
TEST(ProfileLoader, RadiosWithQosHaveEdca) {
  for (const char* const name :
       {"wifi_11n_2g4_adhoc", "wifi_11ac_80", "wifi_11ax_20", "wifi_11ax_40", "wifi_11ax_80", "wifi_11s"}) {
    EXPECT_TRUE(load_radio_profile(kFolder + "/" + name + ".yaml").mac.edca) << name;
  }
  EXPECT_FALSE(load_radio_profile(kFolder + "/wifi_11ag.yaml").mac.edca);
}

// IEEE 802.11-2020, clause 18: 192 us of long preamble, and 1500 bytes with 36 of header, LLC and FCS at 1 Mbit/s.
TEST(ProfileLoader, GivesRadiosOf2400MhzTheModesOfDsss) {
  std::string text = adhoc_text();
  text.replace(text.find("modes: [mcs0"), 12, "modes: [dsss1, dsss2, mcs0");
  const RadioProfile profile = parse_radio_profile(text, "wifi_11n_2g4_adhoc.yaml");
  const auto slow = std::ranges::find(profile.phy.modes, "dsss1", &RadioMode::name);
  ASSERT_NE(slow, profile.phy.modes.end());
  EXPECT_EQ(slow->phy.air_time(1514), Nanoseconds{192'000 + 1536 * 8'000});
  EXPECT_LT(slow->phy.needed_snr.value, -2);
}

// At 24 Mbit/s, 96 bits a symbol, 20 us of preamble: RTS 182 bits, CTS and ACK 134; 10 us of SIFS and 6 of extension.
TEST(ProfileLoader, GivesControlFramesTheirTimeOnTheAir) {
  const RadioProfile profile = load_radio_profile(kFile);
  for (const RadioMode& mode : profile.phy.modes) {
    if (mode.name == "dsss1") {  // long preamble, 1 Mbit/s
      EXPECT_EQ(mode.phy.rts.count(), 192'000 + 160'000);
      EXPECT_EQ(mode.phy.ack.count(), 10'000 + 192'000 + 112'000);
      continue;
    }
    const double rate = mode.phy.rate_bps / 1e6 + 1e-6;
    const bool fast = rate >= 24;
    const bool slow = rate < 12;
    EXPECT_EQ(mode.phy.rts.count(), fast ? 34'000 : slow ? 58'000 : 42'000) << mode.name;
    EXPECT_EQ(mode.phy.ack.count(), fast ? 44'000 : slow ? 60'000 : 48'000) << mode.name;
    EXPECT_EQ(mode.phy.ack_bits, 134u);
    EXPECT_LT(mode.phy.control_snr.value, mode.phy.needed_snr.value) << mode.name;
  }
}

// RFC 791, 3.2: of 1500 bytes over 576 come three fragments: 1480 of payload in pieces of 552, each with a header
// of 20.
TEST(ProfileLoader, CutsIpPacketsAsRouters) {
  std::string text = adhoc_text();
  text.replace(text.find("mtu: 2296 B"), 11,
               "mtu: 1500 B\nadaptation: {type: ip_fragment, fragment: 576 B, header: 0 B}");
  const RadioProfile profile = parse_radio_profile(text, "wifi_11n_2g4_adhoc.yaml");
  RadioProfile plain = load_radio_profile(kFile);
  const PhyMode& cut = profile.phy.modes[0].phy;
  const PhyMode& whole = plain.phy.modes[0].phy;
  EXPECT_EQ(cut.fragments(1514), 3u);
  EXPECT_EQ(cut.fragments(14 + 20 + 552), 1u);
  EXPECT_EQ(cut.fragments(14 + 20 + 553), 2u);
  // Three frames of the radio: its own overhead and IP's header twice more.
  EXPECT_EQ(cut.air_bits(1514), whole.air_bits(1514) + 2 * (22 + 8 * (38 + 20)));
}

TEST(ProfileLoader, FindsProfilesByName) {
  const std::vector<std::string> folders{"/nonexistent", kFolder};
  EXPECT_EQ(find_radio_profile("wifi_11n_2g4_adhoc", folders), kFile);
  EXPECT_THAT(radio_profile_names(folders), testing::Contains("wifi_11n_2g4_adhoc"));
  try {
    static_cast<void>(find_radio_profile("wifi_11n_2g4_adhock", folders));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), "radio profile 'wifi_11n_2g4_adhock' not found in /nonexistent, " + kFolder +
                                "; did you mean 'wifi_11n_2g4_adhoc'?");
  }
}

}  // namespace
}  // namespace hilgate::test
