// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "gateway/configuration/output_config.h"
#include "gateway/views/ros2/bridge/control_connection.h"
#include "gateway/views/ros2/bridge/writer_watch.h"
#include "physics_link/ros2/ros2_line.h"
#include "physics_link/ros2/transform_tree.h"

namespace hilgate::ros2 {

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
