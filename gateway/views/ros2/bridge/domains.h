// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/configuration/output_config.h"

namespace hilgate::ros2 {

/// "/red/pose" as DDS has it: "rt/red/pose".
inline std::string dds_topic(std::string_view topic) {
  return "rt" + std::string(topic);
}

/// "std_msgs::msg::dds_::String_" as ROS 2 has it: "std_msgs/msg/String". Names of another form stay as they are.
std::string ros_type(std::string_view dds_type);

}  // namespace hilgate::ros2

// Quality of service as ROS 2 has it.

namespace hilgate::ros2 {

using Qos = std::unique_ptr<dds_qos_t, decltype(&dds_delete_qos)>;

/// XCDR1 is what all implementations for ROS 2 speak.
inline Qos plain_qos(dds_reliability_kind_t reliability, dds_durability_kind_t durability, std::int32_t depth) {
  Qos qos(dds_create_qos(), dds_delete_qos);
  dds_qset_reliability(qos.get(), reliability, DDS_MSECS(100));
  dds_qset_durability(qos.get(), durability);
  dds_qset_history(qos.get(), DDS_HISTORY_KEEP_LAST, depth);
  const dds_data_representation_id_t representation = DDS_DATA_REPRESENTATION_XCDR1;
  dds_qset_data_representation(qos.get(), 1, &representation);
  return qos;
}

/// ROS 2's default.
inline Qos default_qos() {
  return plain_qos(DDS_RELIABILITY_RELIABLE, DDS_DURABILITY_VOLATILE, 10);
}

/// Readers with it hear everybody: those who repeat what was lost, and those who do not.
inline Qos sensor_qos() {
  return plain_qos(DDS_RELIABILITY_BEST_EFFORT, DDS_DURABILITY_VOLATILE, 10);
}

/// /tf_static: late subscribers receive earlier messages.
inline Qos latched_qos() {
  return plain_qos(DDS_RELIABILITY_RELIABLE, DDS_DURABILITY_TRANSIENT_LOCAL, 100);
}

/// Why DDS cannot use a network interface: "interface 'eth0' does not exist"; empty when it can.
std::string interface_fault(const std::string& name);

/// A participant in each domain, on the interfaces that the entry names; without names, on the interface that DDS
/// chooses. Other settings of $CYCLONEDDS_URI apply, too.
class Domains {
 public:
  /// Throws std::runtime_error with the error of DDS.
  explicit Domains(const std::vector<Ros2Place>& places);
  /// Leaves the participants to the end of the process where an interface is gone.
  ~Domains();
  Domains(const Domains&) = delete;
  Domains& operator=(const Domains&) = delete;

  [[nodiscard]] dds_entity_t participant(const Ros2Place& place) const { return participants_.at(place.domain); }

 private:
  std::vector<Ros2Place> places_;
  std::map<std::uint32_t, dds_entity_t> participants_;  // by domain
};

/// The entity; std::runtime_error with `what` when DDS failed to make it.
dds_entity_t made(dds_entity_t entity, const std::string& what);

/// Publishes on a topic of ROS 2, "/clock". Throws std::runtime_error with the error of DDS.
inline dds_entity_t writer_of(dds_entity_t participant, const dds_topic_descriptor_t& type, const std::string& name) {
  const dds_entity_t topic =
      made(dds_create_topic(participant, &type, dds_topic(name).c_str(), nullptr, nullptr), name);
  return made(dds_create_writer(participant, topic, default_qos().get(), nullptr), name);
}

/// Takes what a reader has: take(const Message&, const dds_sample_info_t&) for each, of which only the key holds where
/// the info has no valid data.
template <class Message, class Take>
void take_all(dds_entity_t reader, const Take& take) {
  constexpr std::size_t kAtOnce = 32;
  for (;;) {
    std::array<void*, kAtOnce> samples{};
    std::array<dds_sample_info_t, kAtOnce> infos;
    const dds_return_t taken = dds_take(reader, samples.data(), infos.data(), kAtOnce, kAtOnce);
    if (taken <= 0) {
      return;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(taken); ++i) {
      take(*static_cast<const Message*>(samples[i]), infos[i]);
    }
    dds_return_loan(reader, samples.data(), taken);
  }
}

}  // namespace hilgate::ros2
