// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gateway/configuration/output_config.h"

namespace hilgate::ros2 {

/// Why DDS cannot use a network interface: "interface 'eth0' does not exist"; empty when it can.
std::string interface_fault(const std::string& name);

/// A participant in each domain, on the interfaces that the entry names; without names, on the interface that DDS
/// chooses. Other settings of $CYCLONEDDS_URI apply, too.
class Domains {
 public:
  /// Throws std::runtime_error with the error of DDS.
  explicit Domains(const std::vector<Ros2Place>& places);
  ~Domains();
  Domains(const Domains&) = delete;
  Domains& operator=(const Domains&) = delete;

  [[nodiscard]] dds_entity_t participant(const Ros2Place& place) const { return participants_.at(place.domain); }

 private:
  std::map<std::uint32_t, dds_entity_t> participants_;  // by domain
};

/// The entity; std::runtime_error with `what` when DDS failed to make it.
dds_entity_t made(dds_entity_t entity, const std::string& what);

}  // namespace hilgate::ros2
