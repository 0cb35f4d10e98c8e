// SPDX-License-Identifier: Apache-2.0
// One round of each subject; each is called in a process of its own.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bench/certify/measuring_child.h"
#include "clock/time.h"

namespace hilgate {

/// How long is measured, and how finely.
struct CertifyForm {
  std::string_view name;
  std::vector<std::string> sizes;
  Nanoseconds core_trial{};  // of a search, in memory
  Nanoseconds trial{};       // of a search, on ports
  double precision = 0;      // of searches
  Nanoseconds delays{};      // of measuring delays at one load
  unsigned kills = 0;        // of each round
  Nanoseconds change{};      // of the load around a change
  std::uint64_t releases = 0;
  Nanoseconds windows{};  // of each of the three phases
  Nanoseconds most{};     // of all rounds together; what is not measured then is left out
};
const CertifyForm& certify_form(bool full);

struct CertifyRound {
  const CertifyForm& form;
  const std::vector<std::string>& sizes;
  const CertifySamples& so_far;
};

/// Each reports its figures and those of their yardsticks. They throw std::runtime_error with the reason why they
/// cannot measure, or not all.
void measure_core(const CertifyRound& round, const CertifySay& say);
void measure_release(const CertifyRound& round, const CertifySay& say);
void measure_wire(const CertifyRound& round, const CertifySay& say);
void measure_live(const CertifyRound& round, const CertifySay& say);
void measure_windows(const CertifyRound& round, const CertifySay& say);

struct CertifySubject {
  std::string_view name;
  std::vector<CertifyFigure> (*figures)(const std::vector<std::string>& sizes);
  void (*measure)(const CertifyRound& round, const CertifySay& say);
};
inline constexpr std::array<CertifySubject, 5> kCertifySubjects{{
    {"core", core_figures, measure_core},
    {"release", release_figures, measure_release},
    {"wire", wire_figures, measure_wire},
    {"live", live_figures, measure_live},
    {"windows", windows_figures, measure_windows},
}};

/// The frame size that measure_wire() and measure_live() take their loads from: the first one.
inline const std::string& loading_size(const std::vector<std::string>& sizes) {
  return sizes.front();
}

}  // namespace hilgate
