// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gateway/configuration/output_config.h"
#include "gateway/views/ros2/bridge/control_connection.h"
#include "physics_link/ros2/ros2_line.h"
#include "physics_link/ros2/transform_tree.h"

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

/// Receives robots' poses and forwards them to the gateway, together with the reasons why poses are missing.
class PoseIntake {
 public:
  /// Throws std::runtime_error with the error of DDS.
  PoseIntake(const Ros2Input& input, dds_entity_t participant);

  /// Until `stop`, which is looked at several times a second.
  void run(const std::atomic<bool>& stop);

 private:
  struct Reader {
    RobotIndex robot{};   // of readers of transforms no matter
    std::string topic{};  // in DDS
    const dds_topic_descriptor_t* type = nullptr;
    dds_entity_t reader = 0;
    void (PoseIntake::*take)(const Reader& reader) = nullptr;
    bool of_robot = false;  // for one robot's poses alone
  };
  // Without robot and topic.
  static Reader reader_of(Ros2Message message);

  void open(Reader reader, dds_entity_t participant, const dds_qos_t* qos);
  void take_poses(const Reader& reader);
  void take_odometry(const Reader& reader);
  void take_covariant(const Reader& reader);
  void take_named(const Reader& reader);
  void take_fixes(const Reader& reader);
  void take_vehicle_odometry(const Reader& reader);
  void take_global_positions(const Reader& reader);
  void take_transforms(const Reader& reader);
  void take_fixed_transforms(const Reader& reader);
  void take_clock(const Reader& reader);
  void tell_transformed(const std::set<std::string>& moved);
  void tell_fixed();
  void tell_troubles();
  [[nodiscard]] std::string trouble_of(std::uint32_t robot) const;
  [[nodiscard]] std::string trouble_of(const Reader& reader) const;

  Ros2Input input_;
  GatewayLink link_;
  TransformTree transforms_;
  dds_entity_t waitset_;
  std::vector<Reader> readers_;
  WriterWatch writers_;
  std::vector<std::string> told_;  // troubles that the gateway knows of, by RobotIndex
  std::string lines_;              // for the gateway
};

/// Reports to the gateway a fault that concerns the poses of all robots.
void tell_all(const Ros2Input& input, const std::string& trouble);

}  // namespace hilgate::ros2
