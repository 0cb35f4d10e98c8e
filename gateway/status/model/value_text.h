// SPDX-License-Identifier: Apache-2.0
// Numbers with units, for people. What is not known is a dash.
#pragma once

#include <optional>
#include <string>

namespace hilgate {

using Known = std::optional<double>;

/// With as many digits as help.
std::string number_text(Known value, const std::string& unit = {});
/// SNR; walls of metal attenuate by hundreds of dB, which cannot be measured.
std::string decibel_text(double value);
/// Of a share from 0 to 1.
std::string percent_text(Known share);
/// Of microseconds.
std::string micros_text(Known micros);
/// Of nanoseconds.
std::string nanos_text(Known nanos);
/// Of bits per second.
std::string bit_rate_text(Known rate);
std::string count_text(double value);
/// Seconds as 1:02:03.
std::string clock_time_text(double seconds);

}  // namespace hilgate
