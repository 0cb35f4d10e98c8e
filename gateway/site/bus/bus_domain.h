// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <functional>
#include <string>
#include <string_view>

#include "gateway/site/bus_settings.h"

namespace hilgate::bus {

/// DDS between the gateways of sites: ports 26660 to 26697 of UDP, from its number by the rule of RTPS (OMG
/// formal/22-04-01, 9.6.2.3), below those that Linux gives away by itself.
inline constexpr dds_domainid_t kDomain = 77;

/// The configuration of Cyclone DDS: on the interface that has the gateway's address, from address to address without
/// multicast. Gateways on loopback addresses are all at 127.0.0.1. Throws std::runtime_error where no interface has it.
std::string domain_configuration(const BusSettings& settings);

/// The entity. Throws std::runtime_error that names `what` when DDS refused to make it.
dds_entity_t made(dds_entity_t entity, const std::string& what);

/// A topic that all gateways of a site write and read. Its readings may come on another thread than writing.
class BusTopic {
 public:
  /// kind, gateway, text: of another gateway.
  using Take = std::function<void(BusKind, std::string_view, std::string_view)>;

  /// kState: the last text of each gateway holds, and kGone comes when it is a second without a sign of life. kWord:
  /// each text comes once, in order. kAir, kPlaces: likewise, but a slow reader loses the oldest. Throws
  /// std::runtime_error with the error of DDS.
  BusTopic(dds_entity_t participant, BusKind kind, const BusSettings& settings);

  /// False: DDS does not take it.
  bool write(const std::string& text);
  /// What has come since the last call.
  void take(const Take& take);
  [[nodiscard]] BusKind kind() const { return kind_; }
  [[nodiscard]] dds_entity_t reader() const { return reader_; }

 private:
  BusKind kind_;
  std::string gateway_;
  dds_entity_t writer_;
  dds_entity_t reader_;
};

}  // namespace hilgate::bus
