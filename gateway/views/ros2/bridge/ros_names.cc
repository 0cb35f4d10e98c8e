// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/ros_names.h"

namespace hilgate::ros2 {

std::string ros_type(std::string_view dds_type) {
  constexpr std::string_view kMark = "::dds_::";
  const std::size_t mark = dds_type.find(kMark);
  if (mark == std::string_view::npos || !dds_type.ends_with('_')) {
    return std::string(dds_type);
  }
  std::string name(dds_type.substr(0, mark));
  for (std::size_t colons = 0; (colons = name.find("::", colons)) != std::string::npos;) {
    name.replace(colons, 2, "/");
  }
  const std::string_view last = dds_type.substr(mark + kMark.size());
  return name + "/" + std::string(last.substr(0, last.size() - 1));
}

}  // namespace hilgate::ros2
