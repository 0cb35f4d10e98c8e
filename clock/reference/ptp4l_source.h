// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "clock/hardware/clock_bridges.h"
#include "clock/hardware/phc_device.h"
#include "clock/ptp/management_client.h"
#include "clock/reference/reference_source.h"

namespace hilgate {

struct Ptp4lOptions {
  ManagementOptions management;
  std::string phc;  // the PHC that ptp4l steers, as /dev/ptpN; empty: it stamps by the system clock
  std::chrono::milliseconds answer_timeout{10};
};

/// A running ptp4l as reference. Grandmaster time at the last Sync is ingress_time - master_offset, which holds
/// whether ptp4l steers a clock or only measures (free_running, ntpshm). Its notifications of port states are
/// subscribed to; offsets are polled, since linuxptp 3.1.1 sends none.
class Ptp4lSource final : public ReferenceSource {
 public:
  /// Throws when the socket of our own cannot be made or the named PHC cannot be read.
  explicit Ptp4lSource(const Ptp4lOptions& options);

  [[nodiscard]] std::string describe() const override;
  ReferenceReading read() override;

 private:
  void take_notifications();
  void renew_subscription();
  void refresh_bridges();
  void add_sample(const ManagementAnswers& answers, ReferenceReading& reading);
  [[nodiscard]] std::optional<HostTime> host_of(std::int64_t ingress_ns) const;

  Ptp4lOptions options_;
  ManagementClient questions_;
  ManagementClient notifications_;
  RealtimeBridge realtime_;
  std::optional<PhcDevice> phc_;
  PhcBridge phc_bridge_;
  std::int64_t last_ingress_ns_ = 0;
  std::optional<HostTime> subscribed_;
  std::optional<PtpPortState> notified_state_;
  bool local_clock_stepped_ = false;
};

}  // namespace hilgate
