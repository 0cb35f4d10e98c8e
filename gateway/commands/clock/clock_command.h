// SPDX-License-Identifier: Apache-2.0
// `hilgate clock status|watch|trace|doctor`: reads a reference as a gateway would, next to a running gateway or before
// there is one. It steers nothing but its own idea of time.
#pragma once

#include <deque>
#include <optional>
#include <ostream>
#include <string>

#include "clock/ptp/ptp_transport.h"
#include "clock/reference/reference_options.h"
#include "clock/servo/disciplined_clock.h"

namespace hilgate {

enum class ClockTask : std::uint8_t { kStatus, kWatch, kTrace, kDoctor };

struct ClockOptions {
  ClockTask task = ClockTask::kStatus;
  ReferenceOptions reference{};
  DisciplineOptions discipline{};
  std::chrono::milliseconds poll_every{50};
  // Measuring time: status and doctor take 3 s by default, watch and trace run until interrupted.
  std::optional<std::chrono::milliseconds> duration{};
  bool json = false;             // status and doctor
  std::string listen_interface;  // doctor: where to listen for masters; empty: nowhere
  PtpTransportKind listen_transport = PtpTransportKind::kUdp4;
};

/// Does the task, writing to `out`. 0: the clock tracks its reference (or has none by choice), doctor found no error;
/// 1 otherwise. Throws std::runtime_error for options that can never work. Returns early on SIGINT and SIGTERM.
int clock_command(const ClockOptions& options, std::ostream& out);
/// The same, to standard output.
int clock_command(const ClockOptions& options);

/// Draws the last values as columns of text, newest at the right, with the zero line in the middle and the scale at the
/// left. `width` in columns and `height` in lines, both above 0.
std::string plot(const std::deque<double>& values, std::size_t width, std::size_t height, const std::string& unit);

}  // namespace hilgate
