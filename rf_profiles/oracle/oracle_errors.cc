// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <stdexcept>

#include "frame/checksum.h"
#include "rf_profiles/errors/low_rate_error.h"
#include "rf_profiles/errors/lte.h"
#include "rf_profiles/errors/packet_loss.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/oracle/oracle.h"
#include "rf_profiles/path_loss/distance_models.h"
#include "rf_profiles/phy/serial_timing.h"

namespace hilgate {
namespace {

using In = OracleInputs;

int whole(const In& in, const std::string& key) {
  return static_cast<int>(in.number(key));
}

/// Probability that a frame of the row's bytes arrives.
double reception(const HazardCurve& hazard, double snr_db, const In& in) {
  return std::exp(-hazard(snr_db) * 8 * in.number("bytes"));
}

double sinr_of(const In& in) {
  const Dbm interferer[] = {{in.number("pi_dbm")}};
  return sinr({in.number("pr_dbm")}, {in.number("pn_dbm")}, interferer, in.number("weight")).value;
}

double range_snr_db(const In& in) {
  const LogDistance law{in.number("n"), {in.number("pl0_db")}, 1};
  return in.number("ptx_dbm") - law.loss_db(in.number("d_m")) - in.number("pn_dbm");
}

double range_at(const In& in) {
  const double snr_db = ncfsk_snr_at(in.number("prr"), in.number("bytes"), in.number("bn_over_r")).value;
  const double loss_db = in.number("ptx_dbm") - in.number("pn_dbm") - snr_db;
  return std::pow(10, (loss_db - in.number("pl0_db")) / (10 * in.number("n")));
}

void add_ncfsk(OracleTable& table) {
  table["ncfsk/ber"] = [](const In& in) {
    return -std::expm1(-ncfsk_hazard(in.number("bn_over_r"))(in.number("snr_db")));
  };
  table["ncfsk/prr"] = [](const In& in) {
    return reception(ncfsk_hazard(in.number("bn_over_r")), in.number("snr_db"), in);
  };
  table["ncfsk/snr_at_prr"] = [](const In& in) {
    return ncfsk_snr_at(in.number("prr"), in.number("bytes"), in.number("bn_over_r")).value;
  };
  table["ncfsk_range/snr"] = range_snr_db;
  table["ncfsk_range/prr"] = [](const In& in) {
    return reception(ncfsk_hazard(in.number("bn_over_r")), range_snr_db(in), in);
  };
  table["ncfsk_range/range_at_prr"] = range_at;
  table["interference_sinr/sinr"] = sinr_of;
  table["interference_sinr/prr"] = [](const In& in) {
    return reception(ncfsk_hazard(in.number("bn_over_r")), sinr_of(in), in);
  };
  const std::map<std::string, double HardwareSpread::*> parts{{"t11", &HardwareSpread::t11},
                                                              {"t12", &HardwareSpread::t12},
                                                              {"t22", &HardwareSpread::t22},
                                                              {"rho", &HardwareSpread::correlation}};
  for (const auto& [name, part] : parts) {
    table["hw_covariance/" + name] = [part = part](const In& in) {
      return hardware_spread(in.number("s11_db2"), in.number("s12_db2"), in.number("s22_db2")).*part;
    };
  }
}

void add_fsk(OracleTable& table) {
  table["fsk_sensitivity/ebn0_at_ber"] = [](const In& in) { return fsk_ebn0(in.number("ber")).value; };
  table["fsk_sensitivity/sensitivity"] = [](const In& in) {
    return fsk_sensitivity(in.number("rate_bps"), {in.number("effective_nf_db")}, in.number("ber")).value;
  };
  table["fsk_sensitivity/effective_nf"] = [](const In& in) {
    return in.number("sensitivity_dbm") - fsk_sensitivity(in.number("rate_bps"), {0}, in.number("ber")).value;
  };
  table["uncoded_ber/ber"] = [](const In& in) { return uncoded_ber(in.text("modulation"), {in.number("ebn0_db")}); };
  table["uncoded_ber/ber_rayleigh_mean"] = [](const In& in) {
    return uncoded_bpsk_ber_in_rayleigh({in.number("mean_ebn0_db")});
  };
  table["oqpsk_802154/ber"] = [](const In& in) { return oqpsk_ber({in.number("snr_db")}); };
  table["oqpsk_802154/per"] = [](const In& in) {
    return frame_error_rate(oqpsk_hazard()(in.number("snr_db")), 8 * in.number("bytes"));
  };
}

LoraFraming lora_framing(const In& in) {
  const std::string coding = in.has("cr") ? in.text("cr") : "4/5";
  if (coding.size() != 3 || !coding.starts_with("4/") || coding[2] < '5' || coding[2] > '8') {
    throw std::runtime_error("the input 'cr' is '" + coding + "'; allowed: 4/5 to 4/8");
  }
  return {.spreading = whole(in, "sf"),
          .bandwidth = {in.number("bw_hz")},
          .coding = coding[2] - '4',
          .preamble_symbols = static_cast<int>(in.number("preamble", 8)),
          .crc = in.number("crc", 1) != 0,
          .implicit_header = in.has("header") && in.text("header") == "implicit"};
}

double lora_snr_at(const In& in) {
  double low = -60;
  double high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (lora_ber(whole(in, "sf"), {middle}) > in.number("ber") ? low : high) = middle;
  }
  return high;
}

void add_lora(OracleTable& table) {
  table["lora/ber"] = [](const In& in) { return lora_ber(whole(in, "sf"), {in.number("snr_db")}); };
  table["lora/snr_at_ber"] = lora_snr_at;
  table["lora/sensitivity"] = [](const In& in) {
    return (noise_level({in.number("bw_hz")}, {in.number("nf_db")}) + Decibels{in.number("snr_threshold_db")}).value;
  };
  table["lora/time_on_air"] = [](const In& in) {
    return lora_framing(in).time_on_air_s(static_cast<std::uint32_t>(in.number("payload_bytes")));
  };
  table["lora/bit_rate"] = [](const In& in) { return lora_framing(in).bit_rate_bps(); };
}

void add_cellular(OracleTable& table) {
  table["lte_miesm/snr_at_bler"] = [](const In& in) { return lte_sinr_at(whole(in, "mcs"), in.number("bler")).value; };
  table["lte_miesm/tbs"] = [](const In& in) { return lte_block_bits(whole(in, "mcs"), whole(in, "n_prb")); };
  table["lte_cqi/spectral_efficiency"] = [](const In& in) { return lte_cqi_efficiency(whole(in, "cqi")); };
  table["lte_cqi/mcs"] = [](const In& in) { return lte_cqi_mcs(whole(in, "cqi")); };
}

void add_timing(OracleTable& table) {
  const auto round = [](const In& in) { return SikRound(static_cast<unsigned>(in.number("air_rate_kbps"))); };
  table["ieee802154_airtime/ppdu_duration"] = [](const In& in) {
    return ieee802154_ppdu_us(static_cast<std::uint32_t>(in.number("psdu_bytes")));
  };
  table["ieee802154_airtime/exchange_duration"] = [](const In& in) {
    return ieee802154_exchange_us(static_cast<std::uint32_t>(in.number("psdu_bytes")), whole(in, "be"),
                                  in.number("ack") != 0);
  };
  table["sik_tdm/byte_time"] = [round](const In& in) {
    return static_cast<double>(round(in).ticks_per_byte) * SikRound::kTickUs;
  };
  table["sik_tdm/window"] = [round](const In& in) {
    return static_cast<double>(round(in).window) * SikRound::kTickUs / 1e3;
  };
  table["sik_tdm/silence"] = [round](const In& in) {
    return static_cast<double>(round(in).silence) * SikRound::kTickUs / 1e3;
  };
  table["sik_tdm/round"] = [round](const In& in) {
    return static_cast<double>(round(in).round) * SikRound::kTickUs / 1e3;
  };
  table["sik_tdm/throughput_per_direction"] = [round](const In& in) { return round(in).throughput_bps() / 1e3; };
}

}  // namespace

void add_error_oracles(OracleTable& table) {
  add_ncfsk(table);
  add_fsk(table);
  add_lora(table);
  add_cellular(table);
  add_timing(table);
}

namespace {

std::uint32_t count(const In& in, const std::string& key) {
  constexpr double kMost = 1e9;
  const double number = in.number(key);
  if (!(number >= 0 && number <= kMost)) {
    throw std::runtime_error("the input '" + key + "' is '" + in.text(key) + "'; allowed: a count from 0 to 1e9");
  }
  return static_cast<std::uint32_t>(number);
}

template <class Crc>
double crc_of(const In& in) {
  return Crc().add(std::as_bytes(std::span(in.text("ascii")))).value();
}

Arq arq_of(const In& in) {
  return {in.number("p"), count(in, "retries") + 1};
}

double gz_drop(const In& in, const HazardCurve& hazard) {
  if (in.text("modulation") != "QPSK" || in.number("sigma_db", 0) != 0) {
    throw std::runtime_error("gz_rfcomms supports QPSK without shadowing only: modulation=QPSK;sigma_db=0");
  }
  const LogDistance law{in.number("n"), {in.number("l0_db")}, 1};
  const double snr_db = in.number("tx_dbm") - law.loss_db(in.number("d_m")) - in.number("noise_floor_dbm");
  return frame_error_rate(hazard(snr_db), 8 * in.number("bytes"));
}

double mininet_rssi(const In& in) {
  const MininetLogDistance law{in.number("n")};
  return in.number("tx_dbm") + in.number("gain_tx_dbi") + in.number("gain_rx_dbi") -
         law.loss_db(in.number("d_m"), in.number("f_hz"));
}

}  // namespace

void add_packet_oracles(OracleTable& table) {
  table["crc/crc16_mcrf4xx"] = crc_of<MavlinkCrc>;
  table["crc/crc32_ieee"] = crc_of<EthernetCrc>;
  table["crc/crc32c"] = crc_of<Crc32c>;
  table["frame_loss/per"] = [](const In& in) { return frame_loss(in.number("ber"), in.number("bytes")); };
  table["arq/residual_loss"] = [](const In& in) { return arq_of(in).residual_loss(); };
  table["arq/mean_transmissions"] = [](const In& in) { return arq_of(in).mean_transmissions(); };
  table["fragment_delivery/delivered"] = [](const In& in) {
    return fragment_delivery(count(in, "fragments"), in.number("p_fragment"));
  };
  table["udp_checksum_miss/probability"] = [](const In& in) {
    return checksum_miss(count(in, "covered_bytes"), count(in, "flips"));
  };
  table["gz_rfcomms/drop_as_coded"] = [](const In& in) { return gz_drop(in, gz_rfcomms_hazard()); };
  table["gz_rfcomms/drop_with_bits"] = [](const In& in) { return gz_drop(in, gz_rfcomms_bit_hazard()); };
  table["mininet_wifi_log_distance/rssi"] = mininet_rssi;
}

}  // namespace hilgate
