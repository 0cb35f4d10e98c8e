// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/low_rate_error.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {
namespace {

/// The tail of the normal distribution.
double q(double x) {
  return 0.5 * std::erfc(x / std::sqrt(2.0));
}

}  // namespace

HazardCurve ncfsk_hazard(double bandwidth_over_rate) {
  return [bandwidth_over_rate](double snr_db) {
    return hazard_of_ber(0.5 * std::exp(-ratio_of_db(snr_db) / 2 * bandwidth_over_rate));
  };
}

Decibels ncfsk_snr_at(double reception, double bytes, double bandwidth_over_rate) {
  const double ber = -std::expm1(std::log(reception) / (8 * bytes));
  return decibels(-2 * std::log(2 * ber) / bandwidth_over_rate);
}

double oqpsk_ber(Decibels snr) {
  const double g = ratio(snr);
  double sum = 0;
  double choose = 16;  // C(16, k)
  for (int k = 2; k <= 16; ++k) {
    choose *= (17.0 - k) / k;
    sum += (k % 2 == 0 ? 1 : -1) * choose * std::exp(20 * g * (1.0 / k - 1));
  }
  return std::max(0.0, 8.0 / 15 / 16 * sum);
}

HazardCurve oqpsk_hazard() {
  return [](double snr_db) { return hazard_of_ber(oqpsk_ber({snr_db})); };
}

double lora_ber(int spreading, Decibels snr) {
  return 0.5 * q(std::sqrt(std::ldexp(1.0, spreading + 1) * ratio(snr)) - std::sqrt(1.386 * spreading + 1.154));
}

HazardCurve lora_hazard(int spreading) {
  if (spreading < 5 || spreading > 12) {
    throw std::runtime_error("unknown LoRa spreading factor " + std::to_string(spreading) + "; 5 to 12");
  }
  return [spreading](double snr_db) { return hazard_of_ber(lora_ber(spreading, {snr_db})); };
}

Decibels fsk_ebn0(double ber) {
  return decibels(-2 * std::log(2 * ber));
}

Dbm fsk_sensitivity(double rate_bps, Decibels noise_figure, double ber) {
  return noise_level({rate_bps}, noise_figure) + fsk_ebn0(ber);
}

double uncoded_ber(std::string_view modulation, Decibels ebn0) {
  const double g = ratio(ebn0);
  if (modulation == "BPSK" || modulation == "QPSK") {
    return q(std::sqrt(2 * g));
  }
  if (modulation == "DBPSK") {
    return 0.5 * std::exp(-g);
  }
  if (modulation == "16QAM") {
    return 0.75 * q(std::sqrt(0.8 * g));
  }
  if (modulation == "64QAM") {
    return 7.0 / 12 * q(std::sqrt(2.0 / 7 * g));
  }
  throw std::runtime_error("unknown modulation '" + std::string(modulation) +
                           "'; allowed: BPSK, QPSK, DBPSK, 16QAM, 64QAM");
}

double uncoded_bpsk_ber_in_rayleigh(Decibels mean_ebn0) {
  const double g = ratio(mean_ebn0);
  return 0.5 * (1 - std::sqrt(g / (1 + g)));
}

HardwareSpread hardware_spread(double s11, double s12, double s22) {
  return {std::sqrt(s11), s12 / std::sqrt(s11), std::sqrt((s11 * s22 - s12 * s12) / s11), s12 / std::sqrt(s11 * s22)};
}

HazardCurve gz_rfcomms_bit_hazard() {
  return [](double snr_db) { return -std::log1p(-std::erfc(std::sqrt(ratio_of_db(snr_db)))); };
}

HazardCurve gz_rfcomms_hazard() {
  constexpr double kBitsPerByte = 8;
  return [by_bits = gz_rfcomms_bit_hazard()](double snr_db) { return by_bits(snr_db) / kBitsPerByte; };
}

}  // namespace hilgate
