// SPDX-License-Identifier: Apache-2.0
#include "clock/hardware/phc_device.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/ethtool.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <stdexcept>

namespace hilgate {
namespace {

constexpr unsigned kReadings = 9;  // of one method call; the kernel allows PTP_MAX_SAMPLES

std::int64_t ns(const ptp_clock_time& time) {
  return time.sec * std::int64_t{1'000'000'000} + time.nsec;
}

std::optional<PhcReading> read_precise(int device) {
  ptp_sys_offset_precise answer{};
  if (ioctl(device, PTP_SYS_OFFSET_PRECISE, &answer) != 0) {
    return std::nullopt;
  }
  return PhcReading{ns(answer.device), ns(answer.sys_realtime), 0};
}

std::optional<PhcReading> read_extended(int device) {
  ptp_sys_offset_extended answer{};
  answer.n_samples = kReadings;
  if (ioctl(device, PTP_SYS_OFFSET_EXTENDED, &answer) != 0) {
    return std::nullopt;
  }
  std::array<PhcTriple, kReadings> triples{};
  for (unsigned i = 0; i < kReadings; ++i) {
    triples[i] = {ns(answer.ts[i][0]), ns(answer.ts[i][1]), ns(answer.ts[i][2])};
  }
  return narrowest(triples);
}

std::optional<PhcReading> read_plain(int device) {
  ptp_sys_offset answer{};
  answer.n_samples = kReadings;
  if (ioctl(device, PTP_SYS_OFFSET, &answer) != 0) {
    return std::nullopt;
  }
  std::array<PhcTriple, kReadings> triples{};
  for (unsigned i = 0; i < kReadings; ++i) {
    triples[i] = {ns(answer.ts[2 * i]), ns(answer.ts[2 * i + 1]), ns(answer.ts[2 * i + 2])};
  }
  return narrowest(triples);
}

std::optional<PhcReading> read_by(PhcMethod method, int device) {
  switch (method) {
    case PhcMethod::kPrecise:
      return read_precise(device);
    case PhcMethod::kExtended:
      return read_extended(device);
    case PhcMethod::kPlain:
      break;
  }
  return read_plain(device);
}

}  // namespace

std::string_view name(PhcMethod method) {
  constexpr std::array<std::string_view, 3> kNames = {"PTP_SYS_OFFSET_PRECISE", "PTP_SYS_OFFSET_EXTENDED",
                                                      "PTP_SYS_OFFSET"};
  return kNames[static_cast<std::size_t>(method)];
}

PhcReading narrowest(std::span<const PhcTriple> triples) {
  assert(!triples.empty());
  const PhcTriple* best = triples.data();
  for (const PhcTriple& triple : triples) {
    if (triple.after_ns - triple.before_ns < best->after_ns - best->before_ns) {
      best = &triple;
    }
  }
  const std::int64_t width = best->after_ns - best->before_ns;
  return {best->phc_ns, best->before_ns + width / 2, width};
}

PhcDevice::PhcDevice(const std::filesystem::path& device) : path_(device) {
  device_ = FileDescriptor{::open(device.c_str(), O_RDWR | O_CLOEXEC)};
  if (!device_.valid()) {
    throw std::runtime_error(
        fmt::format("clock: cannot open PTP hardware clock {}: {}; list the existing ones with `ls /dev/ptp*`",
                    device.native(), std::generic_category().message(errno)));
  }
  ptp_clock_caps capabilities{};
  if (ioctl(device_.get(), PTP_CLOCK_GETCAPS, &capabilities) != 0) {
    throw std::runtime_error(fmt::format(
        "clock: {} is not a PTP hardware clock; list the existing ones with `ls /dev/ptp*`", device.native()));
  }
  for (const PhcMethod method : {PhcMethod::kPrecise, PhcMethod::kExtended, PhcMethod::kPlain}) {
    if (read_by(method, device_.get())) {
      method_ = method;
      return;
    }
  }
  throw std::runtime_error(fmt::format("clock: cannot read {} together with the system clock: {}", device.native(),
                                       std::generic_category().message(errno)));
}

PhcReading PhcDevice::read() const {
  const auto reading = read_by(method_, device_.get());
  if (!reading) {
    checked(-1, fmt::format("clock: {} of {}", name(method_), path_.native()));
  }
  return *reading;
}

// Of the kernel, and not of /sys, which may be another network namespace's.
std::filesystem::path phc_of_interface(const std::string& interface) {
  const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ethtool_ts_info info{};
  info.cmd = ETHTOOL_GET_TS_INFO;
  info.phc_index = -1;
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&info);
  const int result = ioctl(socket.get(), SIOCETHTOOL, &request);
  if (interface.empty() || interface.size() >= IFNAMSIZ || (result != 0 && errno == ENODEV)) {
    throw std::runtime_error(fmt::format("clock: network interface '{}' does not exist", interface));
  }
  if (result == 0 && info.phc_index >= 0) {
    return fmt::format("/dev/ptp{}", info.phc_index);
  }
  throw std::runtime_error(fmt::format(
      "clock: network interface '{}' has no PTP hardware clock; `ethtool -T {}` shows its timestamping modes",
      interface, interface));
}

}  // namespace hilgate
