// SPDX-License-Identifier: Apache-2.0
#include "clock/reference/ptp4l_source.h"

#include <fmt/core.h>

#include <algorithm>

#include "clock/host_now.h"

namespace hilgate {
namespace {

constexpr std::uint16_t kSubscriptionSeconds = 60;

// The port that receives time, when there is one: it speaks for the daemon.
const PortDataSet* receiving_port(const std::vector<PortDataSet>& ports) {
  const auto receives = [](const PortDataSet& port) {
    return port.state == PtpPortState::kSlave || port.state == PtpPortState::kUncalibrated;
  };
  const auto found = std::find_if(ports.begin(), ports.end(), receives);
  return found != ports.end() ? &*found : (ports.empty() ? nullptr : ports.data());
}

// Peer-to-peer ports measure the delay of their own link; end-to-end ones that of the whole path.
Nanoseconds path_delay(const ManagementAnswers& answers) {
  constexpr std::uint8_t kPeerToPeer = 2;
  const PortDataSet* port = receiving_port(answers.ports);
  return port != nullptr && port->delay_mechanism == kPeerToPeer ? port->peer_mean_path_delay
                                                                 : answers.current->mean_path_delay;
}

std::string why_no_measurement(const ManagementAnswers& answers) {
  const PortDataSet* port = receiving_port(answers.ports);
  const PtpPortState state = port != nullptr ? port->state : PtpPortState::kUnknown;
  if (!answers.time_status->grandmaster_is_other && state == PtpPortState::kMaster) {
    return "ptp4l is the grandmaster itself: it receives no better clock in its domain";
  }
  if (answers.time_status->ingress_ns == 0) {
    return fmt::format("ptp4l has no measurement (port state {}): it receives no grandmaster", name(state));
  }
  return "ptp4l has not measured the path delay yet: the grandmaster answers no Delay_Req";
}

}  // namespace

Ptp4lSource::Ptp4lSource(const Ptp4lOptions& options)
    : options_(options), questions_(options.management), notifications_(options.management) {
  if (!options_.phc.empty()) {
    phc_.emplace(options_.phc);
    phc_bridge_.add(phc_->read(), realtime_);
  }
}

std::string Ptp4lSource::describe() const {
  const std::string stamps = phc_ ? fmt::format("{} by {}", phc_->path().native(), name(phc_->method()))
                                  : std::string{"software timestamps of the system clock"};
  return fmt::format("ptp4l at {}, domain {}, {}", options_.management.server.native(), options_.management.domain,
                     stamps);
}

ReferenceReading Ptp4lSource::read() {
  refresh_bridges();
  renew_subscription();
  ManagementAnswers answers = questions_.ask(options_.answer_timeout);
  take_notifications();
  ReferenceReading reading;
  reading.malformed = questions_.malformed() + notifications_.malformed();
  reading.problem = std::move(answers.problem);
  reading.properties = answers.properties;
  if (const PortDataSet* port = receiving_port(answers.ports)) {
    reading.port_state = port->state;
    notified_state_.reset();
  } else if (notified_state_) {
    reading.port_state = *notified_state_;
  }
  if (reading.problem.empty()) {
    add_sample(answers, reading);
  }
  return reading;
}

void Ptp4lSource::refresh_bridges() {
  local_clock_stepped_ = realtime_.refresh();
  if (phc_) {
    local_clock_stepped_ = phc_bridge_.add(phc_->read(), realtime_);
  }
}

void Ptp4lSource::renew_subscription() {
  const HostTime now = host_now();
  if (!subscribed_ || now - *subscribed_ > std::chrono::seconds{kSubscriptionSeconds / 2}) {
    if (notifications_.subscribe(kSubscriptionSeconds)) {
      subscribed_ = now;
    }
  }
}

void Ptp4lSource::take_notifications() {
  while (const auto port = notifications_.next_notification()) {
    notified_state_ = port->state;
  }
}

std::optional<HostTime> Ptp4lSource::host_of(std::int64_t ingress_ns) const {
  return phc_ ? phc_bridge_.host(ingress_ns) : std::optional<HostTime>{realtime_.host(ingress_ns)};
}

void Ptp4lSource::add_sample(const ManagementAnswers& answers, ReferenceReading& reading) {
  const TimeStatus& status = *answers.time_status;
  const Nanoseconds delay = path_delay(answers);
  if (status.ingress_ns == 0 || delay == Nanoseconds{0}) {
    reading.problem = why_no_measurement(answers);
    return;
  }
  reading.grandmaster = status.grandmaster;
  reading.path_delay = delay;
  const bool fresh = status.ingress_ns != last_ingress_ns_;
  last_ingress_ns_ = status.ingress_ns;
  // A stamp from before a step of the local clock can no longer be converted.
  if (!fresh || local_clock_stepped_) {
    return;
  }
  // A slave on the system clock compares UTC with UTC when the grandmaster serves the PTP timescale (linuxptp adds the
  // UTC offset), so TAI is that much ahead; a PHC is compared as it is.
  const bool converts = !phc_ && answers.properties && answers.properties->ptp_timescale;
  const std::int64_t utc_offset_ns = converts ? answers.properties->utc_offset_s * std::int64_t{1'000'000'000} : 0;
  std::int64_t wall_ns = 0;
  if (__builtin_sub_overflow(status.ingress_ns, status.master_offset.count(), &wall_ns) ||
      __builtin_add_overflow(wall_ns, utc_offset_ns, &wall_ns)) {
    reading.problem = "ptp4l reports an offset beyond 292 years";
    return;
  }
  const std::optional<HostTime> host = host_of(status.ingress_ns);
  const Nanoseconds age = host_now() - *host;
  if (age < Nanoseconds{-1'000'000} || age > std::chrono::seconds{20}) {
    reading.problem = fmt::format(
        "ptp4l's last Sync is {:.3f} s off by {}: ptp4l uses another local clock; set its PHC as the "
        "source's "
        "clock's device, or leave the device out when ptp4l timestamps in software",
        std::chrono::duration<double>(-age).count(), phc_ ? phc_->path().native() : std::string{"the system clock"});
    return;
  }
  reading.sample = ReferenceSample{*host, WallTime{Nanoseconds{wall_ns}}};
}

}  // namespace hilgate
