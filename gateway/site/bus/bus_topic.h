// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <functional>
#include <string>
#include <string_view>

#include "gateway/site/bus_settings.h"

namespace hilgate::bus {

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
