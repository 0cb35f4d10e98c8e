// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/pose_intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>

#include "gateway/views/ros2/bridge/domains.h"
#include "physics_link/ros2/px4_pose.h"
#include "ros2_types.h"

namespace hilgate::ros2 {

WriterWatch::WriterWatch(dds_entity_t participant, std::set<std::string> topics)
    : topics_(std::move(topics)),
      reader_(made(dds_create_reader(participant, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, nullptr, nullptr),
                   "hear of publishers")) {}

void WriterWatch::look() {
  take_all<dds_builtintopic_endpoint_t>(
      reader_, [this](const dds_builtintopic_endpoint_t& endpoint, const dds_sample_info_t& info) {
        Key key{};
        std::memcpy(key.data(), endpoint.key.v, key.size());
        if (info.instance_state != DDS_IST_ALIVE) {
          writers_.erase(key);
        } else if (info.valid_data && topics_.contains(endpoint.topic_name)) {
          writers_[key] = {.topic = endpoint.topic_name, .type = endpoint.type_name};
        }
      });
}

std::map<std::string, int> WriterWatch::types(const std::string& topic) const {
  std::map<std::string, int> types;
  for (const auto& [key, writer] : writers_) {
    if (writer.topic == topic) {
      ++types[writer.type];
    }
  }
  return types;
}

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kLook = 500ms;          // between checks of the publishers
constexpr const char* kUnknown = "?";  // no trouble: the gateway may know of one that is over

UnixTime stamp_of(const std_msgs_msg_dds__Header_& header) {
  return UnixTime(std::chrono::seconds(header.stamp_.sec_) + std::chrono::nanoseconds(header.stamp_.nanosec_));
}

Quaternion quaternion_of(const geometry_msgs_msg_dds__Quaternion_& q) {
  return {q.w_, q.x_, q.y_, q.z_};
}

Ros2Pose pose_of(RobotIndex robot, const std_msgs_msg_dds__Header_& header, const geometry_msgs_msg_dds__Pose_& pose) {
  return {robot,
          stamp_of(header),
          {pose.position_.x_, pose.position_.y_, pose.position_.z_},
          quaternion_of(pose.orientation_)};
}

// Frames of ROS 1 began with a slash.
std::string frame_name(const char* name) {
  return *name == '/' ? name + 1 : name;
}

// Topics on which robots' poses are published.
std::set<std::string> topics_of(const Ros2Input& input) {
  std::set<std::string> topics;
  for (const Ros2Source& source : input.sources) {
    topics.insert(dds_topic(source.message == Ros2Message::kTransform ? "/tf" : source.name));
  }
  return topics;
}

}  // namespace

void tell_all(const Ros2Input& input, const std::string& trouble) {
  std::string lines;
  for (std::uint32_t i = 0; i < input.sources.size(); ++i) {
    lines += line_of(Ros2Trouble{RobotIndex{i}, trouble});
  }
  GatewayLink(input.socket).send(lines);
}

PoseIntake::PoseIntake(const Ros2Input& input, dds_entity_t participant)
    : input_(input),
      link_(input.socket),
      transforms_(input.fixed_frame),
      waitset_(made(dds_create_waitset(participant), "wait for poses")),
      writers_(participant, topics_of(input)),
      told_(input.sources.size(), kUnknown) {
  bool transforms = false;
  for (std::uint32_t i = 0; i < input_.sources.size(); ++i) {
    const Ros2Source& source = input_.sources[i];
    if (source.message == Ros2Message::kTransform) {
      transforms = true;
      continue;
    }
    Reader reader = reader_of(source.message);
    reader.robot = RobotIndex{i};
    reader.topic = dds_topic(source.name);
    reader.of_robot = true;
    open(std::move(reader), participant, sensor_qos().get());
  }
  if (input_.clock) {
    open({.topic = dds_topic("/clock"),
          .type = &rosgraph_msgs_msg_dds__Clock__desc,
          .reader = 0,
          .take = &PoseIntake::take_clock},
         participant, sensor_qos().get());
  }
  if (transforms) {
    const Reader reader{.topic = dds_topic("/tf"),
                        .type = &tf2_msgs_msg_dds__TFMessage__desc,
                        .reader = 0,
                        .take = &PoseIntake::take_transforms};
    Reader fixed = reader;
    fixed.topic = dds_topic("/tf_static");
    fixed.take = &PoseIntake::take_fixed_transforms;
    open(reader, participant, sensor_qos().get());
    open(fixed, participant, latched_qos().get());
  }
}

PoseIntake::Reader PoseIntake::reader_of(Ros2Message message) {
  switch (message) {
    case Ros2Message::kOdometry:
      return {.type = &nav_msgs_msg_dds__Odometry__desc, .take = &PoseIntake::take_odometry};
    case Ros2Message::kPoseWithCovarianceStamped:
      return {.type = &geometry_msgs_msg_dds__PoseWithCovarianceStamped__desc, .take = &PoseIntake::take_covariant};
    case Ros2Message::kNavSatFix:
      return {.type = &sensor_msgs_msg_dds__NavSatFix__desc, .take = &PoseIntake::take_fixes};
    case Ros2Message::kNamedPoseArray:
      return {.type = &motion_capture_tracking_interfaces_msg_dds__NamedPoseArray__desc,
              .take = &PoseIntake::take_named};
    case Ros2Message::kVehicleOdometry:
      return {.type = &px4_msgs_msg_dds__VehicleOdometry__desc, .take = &PoseIntake::take_vehicle_odometry};
    case Ros2Message::kVehicleGlobalPosition:
      return {.type = &px4_msgs_msg_dds__VehicleGlobalPosition__desc, .take = &PoseIntake::take_global_positions};
    case Ros2Message::kTransform:
    case Ros2Message::kPoseStamped:
      break;
  }
  return {.type = &geometry_msgs_msg_dds__PoseStamped__desc, .take = &PoseIntake::take_poses};
}

void PoseIntake::open(Reader reader, dds_entity_t participant, const dds_qos_t* qos) {
  const dds_entity_t topic =
      made(dds_create_topic(participant, reader.type, reader.topic.c_str(), nullptr, nullptr), reader.topic);
  reader.reader = made(dds_create_reader(participant, topic, qos, nullptr), reader.topic);
  made(dds_set_status_mask(reader.reader, DDS_DATA_AVAILABLE_STATUS), reader.topic);
  made(dds_waitset_attach(waitset_, reader.reader, 0), reader.topic);
  readers_.push_back(std::move(reader));
}

void PoseIntake::run(const std::atomic<bool>& stop) {
  for (Clock::time_point look{}; !stop;) {
    dds_waitset_wait(waitset_, nullptr, 0, DDS_MSECS(100));
    for (const Reader& reader : readers_) {
      (this->*reader.take)(reader);
    }
    if (Clock::now() >= look) {
      look = Clock::now() + kLook;
      tell_fixed();
      tell_troubles();
    }
    if (!lines_.empty()) {
      if (!link_.send(lines_)) {
        told_.assign(told_.size(), kUnknown);
      }
      lines_.clear();
    }
  }
}

void PoseIntake::take_poses(const Reader& reader) {
  take_all<geometry_msgs_msg_dds__PoseStamped_>(
      reader.reader, [&](const geometry_msgs_msg_dds__PoseStamped_& message, const dds_sample_info_t& info) {
        if (info.valid_data) {
          lines_ += line_of(pose_of(reader.robot, message.header_, message.pose_));
        }
      });
}

void PoseIntake::take_odometry(const Reader& reader) {
  take_all<nav_msgs_msg_dds__Odometry_>(
      reader.reader, [&](const nav_msgs_msg_dds__Odometry_& message, const dds_sample_info_t& info) {
        if (info.valid_data) {
          lines_ += line_of(pose_of(reader.robot, message.header_, message.pose_.pose_));
        }
      });
}

void PoseIntake::take_covariant(const Reader& reader) {
  take_all<geometry_msgs_msg_dds__PoseWithCovarianceStamped_>(
      reader.reader,
      [&](const geometry_msgs_msg_dds__PoseWithCovarianceStamped_& message, const dds_sample_info_t& info) {
        if (info.valid_data) {
          lines_ += line_of(pose_of(reader.robot, message.header_, message.pose_.pose_));
        }
      });
}

// Of an array the pose with the robot's name.
void PoseIntake::take_named(const Reader& reader) {
  const std::string& name = input_.sources[reader.robot.value()].element;
  take_all<motion_capture_tracking_interfaces_msg_dds__NamedPoseArray_>(
      reader.reader,
      [&](const motion_capture_tracking_interfaces_msg_dds__NamedPoseArray_& message, const dds_sample_info_t& info) {
        for (std::uint32_t i = 0; info.valid_data && i < message.poses_._length; ++i) {
          if (name == message.poses_._buffer[i].name_) {
            lines_ += line_of(pose_of(reader.robot, message.header_, message.poses_._buffer[i].pose_));
          }
        }
      });
}

// Without a fix its numbers are of no place.
void PoseIntake::take_fixes(const Reader& reader) {
  constexpr std::int8_t kNoFix = -1;  // NavSatStatus::STATUS_NO_FIX; -2 is unknown
  take_all<sensor_msgs_msg_dds__NavSatFix_>(
      reader.reader, [&](const sensor_msgs_msg_dds__NavSatFix_& message, const dds_sample_info_t& info) {
        if (info.valid_data && message.status_.status_ > kNoFix) {
          lines_ += line_of(Ros2Fix{
              reader.robot, stamp_of(message.header_), {message.latitude_, message.longitude_, message.altitude_}});
        }
      });
}

void PoseIntake::take_vehicle_odometry(const Reader& reader) {
  take_all<px4_msgs_msg_dds__VehicleOdometry_>(
      reader.reader, [&](const px4_msgs_msg_dds__VehicleOdometry_& message, const dds_sample_info_t& info) {
        if (info.valid_data) {
          Ros2Pose pose{.robot = reader.robot, .stamp = px4_stamp(message.timestamp_, unix_now())};
          from_px4(Px4Frame{message.pose_frame_}, std::to_array(message.position_), std::to_array(message.q_), pose);
          lines_ += line_of(pose);
        }
      });
}

void PoseIntake::take_global_positions(const Reader& reader) {
  take_all<px4_msgs_msg_dds__VehicleGlobalPosition_>(
      reader.reader, [&](const px4_msgs_msg_dds__VehicleGlobalPosition_& message, const dds_sample_info_t& info) {
        if (info.valid_data) {
          lines_ += line_of(Ros2Fix{reader.robot,
                                    px4_stamp(message.timestamp_, unix_now()),
                                    {message.lat_, message.lon_, message.alt_ellipsoid_}});
        }
      });
}

void PoseIntake::take_transforms(const Reader& reader) {
  std::set<std::string> moved;
  const bool fixed = reader.take == &PoseIntake::take_fixed_transforms;
  take_all<tf2_msgs_msg_dds__TFMessage_>(
      reader.reader, [&](const tf2_msgs_msg_dds__TFMessage_& message, const dds_sample_info_t& info) {
        if (!info.valid_data) {
          return;
        }
        for (std::uint32_t i = 0; i < message.transforms_._length; ++i) {
          const auto& [header, child, transform] = message.transforms_._buffer[i];
          const std::string frame = frame_name(child);
          transforms_.set(
              frame, {.parent = frame_name(header.frame_id_),
                      .translation = {transform.translation_.x_, transform.translation_.y_, transform.translation_.z_},
                      .rotation = quaternion_of(transform.rotation_),
                      .stamp = fixed ? std::nullopt : std::optional(stamp_of(header))});
          moved.insert(frame);
        }
      });
  if (!fixed && !moved.empty()) {
    tell_transformed(moved);
  }
}

void PoseIntake::take_fixed_transforms(const Reader& reader) {
  take_transforms(reader);
}

// Of several at once the last one alone is what the clock shows.
void PoseIntake::take_clock(const Reader& reader) {
  std::optional<Ros2Clock> shown;
  take_all<rosgraph_msgs_msg_dds__Clock_>(
      reader.reader, [&](const rosgraph_msgs_msg_dds__Clock_& message, const dds_sample_info_t& info) {
        if (info.valid_data) {
          shown = Ros2Clock{std::chrono::seconds(message.clock_.sec_) + Nanoseconds(message.clock_.nanosec_)};
        }
      });
  if (shown) {
    lines_ += line_of(*shown);
  }
}

void PoseIntake::tell_transformed(const std::set<std::string>& moved) {
  for (std::uint32_t i = 0; i < input_.sources.size(); ++i) {
    const std::string& frame = input_.sources[i].name;
    if (input_.sources[i].message != Ros2Message::kTransform) {
      continue;
    }
    const auto found = transforms_.find(frame);
    if (found && found->stamp &&
        std::ranges::any_of(found->way, [&](const std::string& each) { return moved.contains(each); })) {
      lines_ += line_of(Ros2Pose{RobotIndex{i}, *found->stamp, found->at, found->turned});
    }
  }
}

// Fixed transforms are sent again and again, so that the gateway does not take the robot for lost.
void PoseIntake::tell_fixed() {
  for (std::uint32_t i = 0; i < input_.sources.size(); ++i) {
    const std::string& frame = input_.sources[i].name;
    if (input_.sources[i].message != Ros2Message::kTransform) {
      continue;
    }
    if (const auto found = transforms_.find(frame); found && !found->stamp) {
      lines_ += line_of(Ros2Pose{RobotIndex{i}, unix_now(), found->at, found->turned});
    }
  }
}

void PoseIntake::tell_troubles() {
  writers_.look();
  for (std::uint32_t i = 0; i < told_.size(); ++i) {
    if (std::string trouble = trouble_of(i); trouble != told_[i]) {
      lines_ += line_of(Ros2Trouble{RobotIndex{i}, trouble});
      told_[i] = std::move(trouble);
    }
  }
}

std::string PoseIntake::trouble_of(std::uint32_t robot) const {
  const Ros2Message message = input_.sources[robot].message;
  const std::string& name = input_.sources[robot].name;
  const bool transformed = message == Ros2Message::kTransform;
  const auto reader = std::ranges::find_if(readers_, [&](const Reader& each) {
    return transformed ? each.take == &PoseIntake::take_transforms : each.of_robot && each.robot.value() == robot;
  });
  if (reader == readers_.end()) {
    return {};
  }
  std::string trouble = trouble_of(*reader);
  if (trouble.empty() && transformed && !transforms_.find(name)) {
    return fmt::format("no transforms lead from '{}' to '{}'", name, input_.fixed_frame);
  }
  return trouble;
}

std::string PoseIntake::trouble_of(const Reader& reader) const {
  const auto types = writers_.types(reader.topic);
  const std::string topic = reader.topic.substr(dds_topic("").size());
  if (types.empty()) {
    return {};  // no publisher yet, which is no fault
  }
  if (!types.contains(reader.type->m_typename)) {
    const auto& [type, count] = *types.begin();
    return fmt::format("{} has {} publisher{} of {}, and none of {}", topic, count, count == 1 ? "" : "s",
                       ros_type(type), ros_type(reader.type->m_typename));
  }
  dds_subscription_matched_status_t matched{};
  dds_get_subscription_matched_status(reader.reader, &matched);
  return matched.current_count > 0 ? std::string() : fmt::format("the publishers of {} offer other QoS", topic);
}

}  // namespace hilgate::ros2
