// SPDX-License-Identifier: Apache-2.0
// Error models of narrow-band radios (radio-models 8.1 to 8.4, 8.7 to 8.9).
#pragma once

#include <string_view>

#include "rf_profiles/errors/hazard.h"

namespace hilgate {

/// Non-coherent FSK: BER = exp(-(g / 2) (B_N / R)) / 2, with noise bandwidth over bit rate (M. Zuniga,
/// B. Krishnamachari, 2004). SiK's GFSK is this with its own noise figure.
HazardCurve ncfsk_hazard(double bandwidth_over_rate);
/// SNR in dB at which a frame of `bytes` is received with a probability.
double ncfsk_snr_at(double reception, double bytes, double bandwidth_over_rate);

/// 802.15.4 at 2.4 GHz: O-QPSK with 16-ary quasi-orthogonal spreading.
HazardCurve oqpsk_hazard();
double oqpsk_ber(double snr_db);

/// LoRa after M. Elshabrawy and J. Robert (the form is not verified). spreading 6 to 12.
HazardCurve lora_hazard(int spreading);
double lora_ber(int spreading, double snr_db);
/// SNR that the SX1276 needs.
double lora_least_snr_db(int spreading);
/// Signal to interference that a frame needs against one of another spreading factor (C. Goursaud, J.-M. Gorce).
/// Both 7 to 12.
double lora_rejection_db(int spreading, int interferer);

/// E_b/N_0 in dB at which non-coherent FSK has a bit error rate.
double fsk_ebn0_db(double ber);
/// Weakest signal, dBm, of a non-coherent FSK receiver.
double fsk_sensitivity_dbm(double rate_bps, double noise_figure_db, double ber);

/// Textbook curves: BPSK, QPSK, DBPSK, 16QAM, 64QAM. Throws std::runtime_error for another modulation.
double uncoded_ber(std::string_view modulation, double ebn0_db);
/// BPSK averaged over Rayleigh fading.
double uncoded_bpsk_ber_in_rayleigh(double mean_ebn0_db);

/// Spread of the hardware of MICA2 nodes: what one standard normal draw each adds (section 8.2).
struct HardwareSpread {
  double t11 = 0;  // noise floor from the first draw, dB
  double t12 = 0;  // output power from the first draw
  double t22 = 0;  // output power from the second
  double correlation = 0;
};
/// From the variances of noise floor and output power and their covariance, dB^2.
HardwareSpread hardware_spread(double s11, double s12, double s22);

}  // namespace hilgate
