// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

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

}  // namespace hilgate::ros2
