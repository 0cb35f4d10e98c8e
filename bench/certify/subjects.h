// SPDX-License-Identifier: Apache-2.0
// One round of each subject; each is called in a process of its own.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/certify/figure.h"
#include "bench/measured_host.h"
#include "clock/time.h"

namespace hilgate {

inline constexpr Nanoseconds kAskedDelay = std::chrono::milliseconds{1};

/// Bytes without FCS of "64", with FCS, to "1518", or of the twelve frames of "imix": 7 of 64, 4 of 570, 1 of 1518.
std::vector<std::size_t> wire_sizes(const std::string& size);

/// A gateway whose links are cables with a delay, its packet loop on a processor of its own where there are several.
std::string wire_yaml(const BenchProcessors& processors, Nanoseconds delay);

/// Where a measuring process has its files that may not have mounts of its own: hilgate-certify-PID in the folder for
/// temporary files, for this user alone. Throws std::runtime_error when it cannot be made.
std::filesystem::path make_private_folder(pid_t process);

/// Removes that of a process that has ended, if it made one, and those of this user whose processes were killed.
void remove_private_folders(pid_t ended) noexcept;

/// Reports one figure of this round.
using CertifySay = std::function<void(std::string_view figure, double value)>;

struct ChildEnd {
  bool stopped = false;  // stop() was true
  std::string failure;   // what the measuring threw, or how the process ended; empty: neither
};

/// Runs `measure` in a process of its own and adds its figures to `samples`. With CAP_SYS_ADMIN it has mounts of its
/// own: /run and BPF's file system are empty there, so that nothing of it can be left. The process is killed when
/// `stop` is true, asked ten times a second, and ends with the calling thread; what it started ends with it, and is
/// waited for. Throws std::runtime_error when no process can be started.
ChildEnd run_measuring_child(const std::function<void(const CertifySay& say)>& measure,
                             const std::function<bool()>& stop, CertifySamples& samples);

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
