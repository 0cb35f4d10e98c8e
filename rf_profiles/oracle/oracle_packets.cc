// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "frame/checksum.h"
#include "rf_profiles/errors/low_rate_error.h"
#include "rf_profiles/errors/packet_loss.h"
#include "rf_profiles/oracle/oracle_models.h"
#include "rf_profiles/path_loss/distance_models.h"

namespace hilgate {
namespace {

using In = OracleInputs;

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
