// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace hilgate::ros2 {

/// The publishers of some topics and their types, whether readable or not: DDS itself does not report publishers of
/// another type.
class WriterWatch {
 public:
  /// Of these topics, by their names in DDS. Throws std::runtime_error.
  WriterWatch(dds_entity_t participant, std::set<std::string> topics);

  /// Takes note of what has changed.
  void look();
  /// How many publish on a topic, by the name that their type has in DDS.
  [[nodiscard]] std::map<std::string, int> types(const std::string& topic) const;

 private:
  using Key = std::array<std::uint8_t, sizeof(dds_guid_t)>;
  struct Writer {
    std::string topic, type;
  };

  std::set<std::string> topics_;
  dds_entity_t reader_;
  std::map<Key, Writer> writers_;
};

}  // namespace hilgate::ros2
