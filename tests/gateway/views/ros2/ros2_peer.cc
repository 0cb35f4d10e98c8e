// SPDX-License-Identifier: Apache-2.0
// ros2_peer INTERFACE say KIND TOPIC [X]: publishes messages of a kind, 50 a second, as a node of ROS 2 does.
// ros2_peer INTERFACE hear KIND TOPIC: prints a line for each thing that it hears.
#include <dds/dds.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "px4_types.h"
#include "ros2_types.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

volatile std::sig_atomic_t ended = 0;

dds_entity_t made_or_thrown(dds_entity_t entity) {
  return entity >= 0 ? entity : throw std::runtime_error(dds_strretcode(entity));
}

dds_entity_t participant_on(const std::string& interface) {
  const std::string uri = fmt::format(
      R"(<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="{}"/></Interfaces></General></Domain>)"
      "</CycloneDDS>",
      interface);
  made_or_thrown(dds_create_domain(0, uri.c_str()));
  return made_or_thrown(dds_create_participant(0, nullptr, nullptr));
}

dds_entity_t topic_of(dds_entity_t participant, const dds_topic_descriptor_t& type, const std::string& name) {
  return made_or_thrown(dds_create_topic(participant, &type, ("rt" + name).c_str(), nullptr, nullptr));
}

std_msgs_msg_dds__Header_ header_in(std::string& frame, std::chrono::milliseconds ahead) {
  const auto now = std::chrono::system_clock::now().time_since_epoch() + ahead;
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(now);
  return {.stamp_ = {static_cast<std::int32_t>(whole.count()),
                     static_cast<std::uint32_t>(std::chrono::nanoseconds(now - whole).count())},
          .frame_id_ = frame.data()};
}

// What is published, of an x coordinate.
struct Kind {
  const dds_topic_descriptor_t* type;
  std::function<dds_return_t(dds_entity_t writer, double x)> write;
  bool is_sensor = false;  // nothing that was lost is sent again
};

dds_return_t write_pose(dds_entity_t writer, double x, std::chrono::milliseconds ahead) {
  std::string frame = "world";
  geometry_msgs_msg_dds__PoseStamped_ message{};
  message.header_ = header_in(frame, ahead);
  message.pose_.position_ = {x, 2, 1};
  message.pose_.orientation_.w_ = 1;
  return dds_write(writer, &message);
}

dds_return_t write_odometry(dds_entity_t writer, double x) {
  std::string frame = "odom";
  std::string child = "base_link";
  nav_msgs_msg_dds__Odometry_ message{};
  message.header_ = header_in(frame, 0ms);
  message.child_frame_id_ = child.data();
  message.pose_.pose_.position_ = {x, 2, 1};
  message.pose_.pose_.orientation_.w_ = 1;
  return dds_write(writer, &message);
}

dds_return_t write_covariant(dds_entity_t writer, double x) {
  std::string frame = "map";
  geometry_msgs_msg_dds__PoseWithCovarianceStamped_ message{};
  message.header_ = header_in(frame, 0ms);
  message.pose_.pose_.position_ = {x, 2, 1};
  message.pose_.pose_.orientation_.w_ = std::nan("");
  return dds_write(writer, &message);
}

// A degree of latitude is 111 km; without a fix it is 0 degrees.
dds_return_t write_fix(dds_entity_t writer, double latitude) {
  std::string frame = "gps";
  sensor_msgs_msg_dds__NavSatFix_ message{};
  message.header_ = header_in(frame, 0ms);
  message.status_.status_ = -1;
  dds_write(writer, &message);
  message.status_.status_ = 0;
  message.latitude_ = latitude;
  message.longitude_ = 8;
  message.altitude_ = 400;
  return dds_write(writer, &message);
}

// As motion_capture_tracking has several robots in one message.
dds_return_t write_named(dds_entity_t writer, double x) {
  std::string frame = "world";
  std::string other = "cf1";
  std::string name = "cf2";
  motion_capture_tracking_interfaces_msg_dds__NamedPose_ poses[2] = {};
  poses[0].name_ = other.data();
  poses[0].pose_.position_ = {-1, -1, -1};
  poses[1].name_ = name.data();
  poses[1].pose_.position_ = {x, 2, 1};
  poses[1].pose_.orientation_.w_ = 1;
  motion_capture_tracking_interfaces_msg_dds__NamedPoseArray_ message{};
  message.header_ = header_in(frame, 0ms);
  message.poses_ = {2, 2, poses, false};
  return dds_write(writer, &message);
}

// Stamped since the start of the autopilot; x is north.
dds_return_t write_vehicle_odometry(dds_entity_t writer, double x) {
  whole_px4_msgs_VehicleOdometry_ message{};
  message.timestamp_ = 12'345'678;
  message.pose_frame_ = 1;
  message.position_[0] = static_cast<float>(x);
  message.position_[1] = 7;
  message.position_[2] = -3;
  message.q_[0] = std::nanf("");
  message.quality_ = 1;
  return dds_write(writer, &message);
}

dds_return_t write_global_position(dds_entity_t writer, double latitude) {
  whole_px4_msgs_VehicleGlobalPosition_ message{};
  message.timestamp_ = 12'345'678;
  message.lat_ = latitude;
  message.lon_ = 8;
  message.alt_ellipsoid_ = 400;
  message.dead_reckoning_ = true;
  return dds_write(writer, &message);
}

dds_topic_descriptor_t named_as(dds_topic_descriptor_t type, const char* name) {
  type.m_typename = name;
  return type;
}
const dds_topic_descriptor_t kVehicleOdometry =
    named_as(whole_px4_msgs_VehicleOdometry__desc, "px4_msgs::msg::dds_::VehicleOdometry_");
const dds_topic_descriptor_t kGlobalPosition =
    named_as(whole_px4_msgs_VehicleGlobalPosition__desc, "px4_msgs::msg::dds_::VehicleGlobalPosition_");

// As rclcpp::SensorDataQoS of the publishers of sensors, and PX4's, which latches as well.
dds_entity_t sensor_writer(dds_entity_t participant, dds_entity_t topic) {
  dds_qos_t* const qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
  dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
  dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 5);
  const dds_entity_t writer = dds_create_writer(participant, topic, qos, nullptr);
  dds_delete_qos(qos);
  return made_or_thrown(writer);
}

// The robot stands at x in odom, which is 100 m along the map's x.
dds_return_t write_transforms(dds_entity_t writer, double x) {
  std::string map = "map";
  std::string odom = "green/odom";
  std::string base = "green/base_link";
  geometry_msgs_msg_dds__TransformStamped_ transforms[2] = {};
  transforms[0].header_ = header_in(map, 0ms);
  transforms[0].child_frame_id_ = odom.data();
  transforms[0].transform_ = {{100, 0, 0}, {0, 0, 0, 1}};
  transforms[1].header_ = header_in(odom, 0ms);
  transforms[1].child_frame_id_ = base.data();
  transforms[1].transform_ = {{x, 2, 1}, {0, 0, 0, 1}};
  tf2_msgs_msg_dds__TFMessage_ message{};
  message.transforms_ = {2, 2, transforms, false};
  return dds_write(writer, &message);
}

// Half as fast as the wall.
dds_return_t write_clock(dds_entity_t writer) {
  static const auto start = std::chrono::steady_clock::now();
  const auto shows = 1000s + (std::chrono::steady_clock::now() - start) / 2;
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(shows);
  const rosgraph_msgs_msg_dds__Clock_ message{
      {static_cast<std::int32_t>(whole.count()),
       static_cast<std::uint32_t>(std::chrono::nanoseconds(shows - whole).count())}};
  return dds_write(writer, &message);
}

const std::map<std::string, Kind> kKinds = {
    {"pose",
     {&geometry_msgs_msg_dds__PoseStamped__desc, [](auto writer, double x) { return write_pose(writer, x, 0ms); }}},
    {"future",
     {&geometry_msgs_msg_dds__PoseStamped__desc, [](auto writer, double x) { return write_pose(writer, x, 1h); }}},
    {"old",
     {&geometry_msgs_msg_dds__PoseStamped__desc, [](auto writer, double x) { return write_pose(writer, x, -1h); }}},
    {"odometry", {&nav_msgs_msg_dds__Odometry__desc, write_odometry}},
    {"covariant", {&geometry_msgs_msg_dds__PoseWithCovarianceStamped__desc, write_covariant, true}},
    {"fix", {&sensor_msgs_msg_dds__NavSatFix__desc, write_fix, true}},
    {"named", {&motion_capture_tracking_interfaces_msg_dds__NamedPoseArray__desc, write_named, true}},
    {"vehicle_odometry", {&kVehicleOdometry, write_vehicle_odometry, true}},
    {"global_position", {&kGlobalPosition, write_global_position, true}},
    {"transforms", {&tf2_msgs_msg_dds__TFMessage__desc, write_transforms}},
    {"half_speed", {&rosgraph_msgs_msg_dds__Clock__desc, [](auto writer, double) { return write_clock(writer); }}},
};

constexpr auto kBetweenMessages = 20ms;

int say(const std::string& interface, const Kind& kind, const std::string& topic, double x) {
  const dds_entity_t participant = participant_on(interface);
  const dds_entity_t sent = topic_of(participant, *kind.type, topic);
  const dds_entity_t writer = kind.is_sensor ? sensor_writer(participant, sent)
                                             : made_or_thrown(dds_create_writer(participant, sent, nullptr, nullptr));
  while (ended == 0) {
    made_or_thrown(kind.write(writer, x));
    std::this_thread::sleep_for(kBetweenMessages);
  }
  dds_delete(DDS_CYCLONEDDS_HANDLE);
  return 0;
}

template <class Message>
void print_all(dds_entity_t reader, const std::function<void(const Message&)>& print) {
  void* sample = nullptr;
  dds_sample_info_t info;
  while (dds_take(reader, &sample, &info, 1, 1) == 1) {
    if (info.valid_data) {
      print(*static_cast<const Message*>(sample));
    }
    dds_return_loan(reader, &sample, 1);
    sample = nullptr;
  }
  std::fflush(stdout);
}

void print_diagnostics(const diagnostic_msgs_msg_dds__DiagnosticArray_& message) {
  for (std::uint32_t i = 0; i < message.status_._length; ++i) {
    const auto& status = message.status_._buffer[i];
    fmt::print("{} {} [{}] {} values\n", status.level_, status.name_, status.message_, status.values_._length);
  }
}

void print_links(const hilgate_msgs_msg_dds__LinkStates_& message) {
  for (std::uint32_t i = 0; i < message.links_._length; ++i) {
    const auto& link = message.links_._buffer[i];
    fmt::print("{} to {} {} loss {:.3f} sight {}\n", link.sender_, link.receiver_,
               link.reachable_ ? "in reach" : "out of reach", link.frame_loss_, link.line_of_sight_);
  }
}

void print_connection(const wireless_msgs_msg_dds__Connection_& message) {
  fmt::print("{} to {}: {} of {} dBm, {} dBm, {:.1f} Mbit/s, {:.3f} GHz\n", message.essid_, message.bssid_,
             message.link_quality_raw_, message.signal_level_, message.txpower_, message.bitrate_, message.frequency_);
}

void print_clock(const rosgraph_msgs_msg_dds__Clock_& message) {
  fmt::print("clock {}.{:09}\n", message.clock_.sec_, message.clock_.nanosec_);
}

struct Heard {
  const dds_topic_descriptor_t* type;
  void (*print)(dds_entity_t reader);
};
const std::map<std::string, Heard> kHeard = {
    {"diagnostics",
     {&diagnostic_msgs_msg_dds__DiagnosticArray__desc,
      [](dds_entity_t reader) { print_all<diagnostic_msgs_msg_dds__DiagnosticArray_>(reader, print_diagnostics); }}},
    {"links",
     {&hilgate_msgs_msg_dds__LinkStates__desc,
      [](dds_entity_t reader) { print_all<hilgate_msgs_msg_dds__LinkStates_>(reader, print_links); }}},
    {"connection",
     {&wireless_msgs_msg_dds__Connection__desc,
      [](dds_entity_t reader) { print_all<wireless_msgs_msg_dds__Connection_>(reader, print_connection); }}},
    {"clock",
     {&rosgraph_msgs_msg_dds__Clock__desc,
      [](dds_entity_t reader) { print_all<rosgraph_msgs_msg_dds__Clock_>(reader, print_clock); }}},
};

int hear(const std::string& interface, const Heard& heard, const std::string& topic) {
  const dds_entity_t participant = participant_on(interface);
  const std::unique_ptr<dds_qos_t, decltype(&dds_delete_qos)> qos(dds_create_qos(), dds_delete_qos);
  dds_qset_reliability(qos.get(), DDS_RELIABILITY_RELIABLE, DDS_INFINITY);  // ROS 2's default
  dds_qset_history(qos.get(), DDS_HISTORY_KEEP_LAST, 10);
  const dds_entity_t reader =
      made_or_thrown(dds_create_reader(participant, topic_of(participant, *heard.type, topic), qos.get(), nullptr));
  while (ended == 0) {
    heard.print(reader);
    std::this_thread::sleep_for(5ms);
  }
  dds_delete(DDS_CYCLONEDDS_HANDLE);
  return 0;
}

int peer(const std::vector<std::string>& words) {
  std::signal(SIGTERM, [](int) { ended = 1; });
  if (words.size() >= 4 && words[1] == "say") {
    return say(words[0], kKinds.at(words[2]), words[3], words.size() > 4 ? std::atof(words[4].c_str()) : 0);
  }
  if (words.size() == 4 && words[1] == "hear") {
    return hear(words[0], kHeard.at(words[2]), words[3]);
  }
  throw std::runtime_error("usage: ros2_peer INTERFACE say|hear KIND TOPIC [X]");
}

}  // namespace
}  // namespace hilgate::test

int main(int argc, char** argv) {
  try {
    return hilgate::test::peer(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
