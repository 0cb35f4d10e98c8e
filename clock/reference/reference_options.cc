// SPDX-License-Identifier: Apache-2.0
#include "clock/reference/reference_options.h"

#include <fmt/core.h>

#include <array>
#include <stdexcept>

#include "clock/hardware/phc_device.h"
#include "clock/reference/local_sources.h"
#include "clock/reference/ptp4l_source.h"
#include "clock/reference/reference_source.h"

namespace hilgate {
namespace {

constexpr std::array<std::string_view, 5> kKinds = {"ptp4l", "phc", "ntpshm", "tai", "monotonic"};

std::unique_ptr<ReferenceSource> make_ptp4l(const ReferenceOptions& options, std::uint8_t domain) {
  Ptp4lOptions one;
  one.management = options.ptp4l;
  one.management.domain = domain;
  one.management.server = ptp4l_socket(options, domain);
  const bool is_path = options.phc.empty() || options.phc.front() == '/';
  one.phc = is_path ? options.phc : phc_of_interface(options.phc).native();
  return std::make_unique<Ptp4lSource>(one);
}

std::unique_ptr<ReferenceSource> make_ptp4l(const ReferenceOptions& options) {
  if (options.domains.empty()) {
    throw std::runtime_error("clock: source ptp4l needs at least one domain, from 0 to 127");
  }
  std::vector<std::unique_ptr<ReferenceSource>> sources;
  for (const std::uint8_t domain : options.domains) {
    sources.push_back(make_ptp4l(options, domain));
  }
  if (sources.size() == 1) {
    return std::move(sources.front());
  }
  return std::make_unique<PreferredSource>(std::move(sources), std::chrono::seconds{3});
}

}  // namespace

ReferenceKind reference_kind(std::string_view word) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == word) {
      return static_cast<ReferenceKind>(i);
    }
  }
  throw std::runtime_error(
      fmt::format("clock: unknown source '{}'; allowed: ptp4l, phc, ntpshm, tai, monotonic", word));
}

std::string_view name(ReferenceKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::filesystem::path ptp4l_socket(const ReferenceOptions& options, std::uint8_t domain) {
  constexpr std::string_view kPlace = "{domain}";
  std::string text = options.ptp4l.server.native();
  if (const auto at = text.find(kPlace); at != std::string::npos) {
    text.replace(at, kPlace.size(), std::to_string(domain));
  }
  return text;
}

std::unique_ptr<ReferenceSource> make_reference(const ReferenceOptions& options) {
  switch (options.kind) {
    case ReferenceKind::kPtp4l:
      return make_ptp4l(options);
    case ReferenceKind::kPhc:
      if (options.phc.empty()) {
        throw std::runtime_error(
            "clock: source phc needs a PTP hardware clock: a device (/dev/ptp0) or an interface that has one "
            "(eth0), by `phc:` in the configuration or --phc");
      }
      return std::make_unique<PhcSource>(options.phc);
    case ReferenceKind::kNtpshm:
      return std::make_unique<NtpShmSource>(options.ntpshm_unit);
    case ReferenceKind::kTai:
      return std::make_unique<TaiSource>();
    case ReferenceKind::kMonotonic:
      break;
  }
  return std::make_unique<MonotonicSource>();
}

}  // namespace hilgate
