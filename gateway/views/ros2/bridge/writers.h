// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <string>

#include "gateway/views/ros2/bridge/domains.h"
#include "gateway/views/ros2/bridge/ros_names.h"

namespace hilgate::ros2 {

/// Publishes on a topic of ROS 2, "/clock". Throws std::runtime_error with the error of DDS.
inline dds_entity_t writer_of(dds_entity_t participant, const dds_topic_descriptor_t& type, const std::string& name) {
  const dds_entity_t topic =
      made(dds_create_topic(participant, &type, dds_topic(name).c_str(), nullptr, nullptr), name);
  return made(dds_create_writer(participant, topic, default_qos().get(), nullptr), name);
}

}  // namespace hilgate::ros2
