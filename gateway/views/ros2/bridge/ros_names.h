// SPDX-License-Identifier: Apache-2.0
#pragma once

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
