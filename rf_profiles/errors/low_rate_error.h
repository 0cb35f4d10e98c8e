// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "config/units.h"
#include "rf_profiles/errors/packet_loss.h"

// Error models of narrow-band radios.

namespace hilgate {

/// Non-coherent FSK: BER = exp(-(g / 2) (B_N / R)) / 2, with noise bandwidth over bit rate (M. Zuniga,
/// B. Krishnamachari, 2004). SiK's GFSK is this with its own noise figure.
HazardCurve ncfsk_hazard(double bandwidth_over_rate);
/// SNR at which a frame of `bytes` is received with a probability.
Decibels ncfsk_snr_at(double reception, double bytes, double bandwidth_over_rate);

/// 802.15.4 at 2.4 GHz: O-QPSK with 16-ary quasi-orthogonal spreading.
HazardCurve oqpsk_hazard();
double oqpsk_ber(Decibels snr);

/// LoRa after M. Elshabrawy and J. Robert (the form is not verified). spreading 5 to 12; the SX1280 begins with 5.
HazardCurve lora_hazard(int spreading);
double lora_ber(int spreading, Decibels snr);

/// E_b/N_0 at which non-coherent FSK has a bit error rate.
Decibels fsk_ebn0(double ber);
/// Weakest signal of a non-coherent FSK receiver.
Dbm fsk_sensitivity(double rate_bps, Decibels noise_figure, double ber);

/// Textbook curves: BPSK, QPSK, DBPSK, 16QAM, 64QAM. Throws std::runtime_error for another modulation.
double uncoded_ber(std::string_view modulation, Decibels ebn0);
/// BPSK averaged over Rayleigh fading.
double uncoded_bpsk_ber_in_rayleigh(Decibels mean_ebn0);

/// Spread of the hardware of MICA2 nodes: what one standard normal draw each adds.
struct HardwareSpread {
  double t11 = 0;  // noise floor from the first draw, dB
  double t12 = 0;  // output power from the first draw
  double t22 = 0;  // output power from the second
  double correlation = 0;
};
/// From the variances of noise floor and output power and their covariance, dB^2.
HardwareSpread hardware_spread(double s11, double s12, double s22);

}  // namespace hilgate

// Errors as gz-sim's RFComms computes them, its mistakes included: for profiles that shall behave as a run there did.
// Its text of 2022: the drop probability takes bytes where bits are meant, and sigma for a variance.

namespace hilgate {

/// RFComms with QPSK: BER = erfc(sqrt g) instead of half of that, and a packet of n bytes lost with 1 - (1 - BER)^n: of
/// bytes, where bits are meant.
HazardCurve gz_rfcomms_hazard();
/// The same error rate with the exponent of bits.
HazardCurve gz_rfcomms_bit_hazard();

}  // namespace hilgate
