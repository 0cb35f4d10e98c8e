// SPDX-License-Identifier: Apache-2.0
#include "physics_link/rosnetsim/rosnetsim_physics.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "physics_link/connection/entry_limit.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/rosnetsim/rosnetsim_physics.pb.h"

namespace hilgate::rosnetsim {
namespace {

constexpr std::array<EntryShape, 1> kChannelData = {{{.field = wire::rosnetsim::ChannelData::kPathDetailsFieldNumber}}};

constexpr std::size_t kNodeNumbers = 7;  // x, y, z, then w, x, y, z
constexpr std::size_t kHopNumbers = 4;   // x, y, z, loss

// Only the first fault of a message is reported; the text of the others is not built.
template <class Detail>
void note(MaybeFault& fault, ProtocolError error, const Detail& detail) {
  if (!fault) {
    fault = ProtocolFault{error, detail()};
  }
}

void add_hop(const Vec3& at, double loss_db, wire::rosnetsim::PathDetails& details) {
  for (const double number : {at.x, at.y, at.z, loss_db}) {
    details.add_hop_points(number);
  }
}

void write_hops(const Sight& sight, const Scene& scene, RobotIndex a, RobotIndex b,
                wire::rosnetsim::PathDetails& details) {
  if (sight.paths.empty()) {
    // No traced path: the straight line, with one more point in the middle when something is in the way.
    const Vec3 from = scene.robots[a.value()].position;
    const Vec3 to = scene.robots[b.value()].position;
    add_hop(from, 0, details);
    if (!sight.line_of_sight) {
      add_hop({(from.x + to.x) / 2, (from.y + to.y) / 2, (from.z + to.z) / 2}, 0, details);
    }
    add_hop(to, 0, details);
    details.add_num_hops(sight.line_of_sight ? 2 : 3);
    return;
  }
  for (const Path& path : sight.paths) {
    details.add_num_hops(static_cast<std::uint32_t>(path.size()));
    for (const PathPoint& point : path) {
      add_hop(point.at, point.loss_db, details);
    }
  }
}

void read_nodes(const wire::rosnetsim::ChannelData& message, std::size_t robots, Scene& scene, MaybeFault& fault) {
  const std::span<const double> numbers(message.node_list().data(), static_cast<std::size_t>(message.node_list_size()));
  if (numbers.size() != robots * kNodeNumbers) {
    note(fault, ProtocolError::kUnequalArrays, [&] {
      return fmt::format("node_list has {} numbers; {} robots need {}", numbers.size(), robots, robots * kNodeNumbers);
    });
  }
  const std::size_t nodes = std::min(robots, numbers.size() / kNodeNumbers);
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto n = numbers.subspan(i * kNodeNumbers, kNodeNumbers);
    if (const auto pose = bounded_pose({n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]})) {
      scene.robots[i] = *pose;
    } else {
      note(fault, ProtocolError::kBadValue, [&] {
        return fmt::format("node {} has a pose that is {}", i + 1, unbounded_text({n[0], n[1], n[2]}));
      });
    }
  }
}

std::vector<Path> read_paths(const wire::rosnetsim::PathDetails& details, MaybeFault& fault) {
  const std::span<const double> numbers(details.hop_points().data(),
                                        static_cast<std::size_t>(details.hop_points_size()));
  std::vector<Path> paths;
  std::size_t used = 0;
  for (const std::uint32_t hops : details.num_hops()) {
    const std::size_t wanted = std::size_t{hops} * kHopNumbers;
    if (wanted > numbers.size() - used) {
      note(fault, ProtocolError::kUnequalArrays, [&] {
        return fmt::format("path of {} points needs {} numbers of hop_points; {} are left", hops, wanted,
                           numbers.size() - used);
      });
      break;
    }
    if (hops == 0) {
      continue;  // empty, and a message could hold millions of them
    }
    Path path;
    path.reserve(hops);
    for (std::size_t i = 0; i < hops; ++i, used += kHopNumbers) {
      const auto at = bounded_position({numbers[used], numbers[used + 1], numbers[used + 2]});
      const auto loss_db = bounded_decibels(numbers[used + 3]);
      if (at && loss_db) {
        path.push_back({.at = *at, .loss_db = *loss_db});
      }
    }
    if (path.size() == hops) {
      paths.push_back(std::move(path));
    } else {
      note(fault, ProtocolError::kBadValue, [&] {
        return fmt::format("a path has a point or a loss that is not a number or beyond {:g} m", kWorldReach);
      });
    }
  }
  return paths;
}

void read_sight(const wire::rosnetsim::PathDetails& details, SightRule rule, Scene& scene, MaybeFault& fault) {
  const std::size_t robots = scene.robots.size();
  const auto good = [robots](std::uint32_t id) { return id >= 1 && id <= robots; };
  if (details.ids_size() != 2 || !good(details.ids(0)) || !good(details.ids(1)) || details.ids(0) == details.ids(1)) {
    note(fault, ProtocolError::kBadValue, [&] {
      return details.ids_size() == 2
                 ? fmt::format("path_details between nodes {} and {}; they must be two of 1..{}", details.ids(0),
                               details.ids(1), robots)
                 : fmt::format("path_details between {} nodes; they must be two of 1..{}", details.ids_size(), robots);
    });
    return;
  }
  Sight& sight = scene.sights[pair_index(RobotIndex{details.ids(0) - 1}, RobotIndex{details.ids(1) - 1})];
  sight.paths = read_paths(details, fault);
  sight.line_of_sight =
      rule == SightRule::kLosField ? details.los() : details.num_hops_size() == 0 || details.num_hops(0) == 2;
}

}  // namespace

void encode(const PhysicsUpdate& update, std::string& plain) {
  wire::rosnetsim::PhysicsUpdate message;
  message.set_msg_type(update.end ? wire::rosnetsim::PhysicsUpdate::END : wire::rosnetsim::PhysicsUpdate::BEGIN);
  message.set_time_val(update.window);
  message.set_channel_data(update.channel_data);
  message.SerializeToString(&plain);
}

MaybeFault decode(std::string_view plain, PhysicsUpdate& update) {
  wire::rosnetsim::PhysicsUpdate message;
  if (!message.ParseFromArray(plain.data(), static_cast<int>(plain.size()))) {
    return ProtocolFault{ProtocolError::kBadMessage, fmt::format("invalid PhysicsUpdate of {} bytes", plain.size())};
  }
  update.end = message.msg_type() == wire::rosnetsim::PhysicsUpdate::END;
  update.window = message.time_val();
  update.channel_data = std::move(*message.mutable_channel_data());
  return std::nullopt;
}

void encode_channels(const Scene& scene, std::string& plain) {
  wire::rosnetsim::ChannelData message;
  for (const Pose& pose : scene.robots) {
    const Quaternion& q = pose.orientation;
    for (const double number : {pose.position.x, pose.position.y, pose.position.z, q.w, q.x, q.y, q.z}) {
      message.add_node_list(number);
    }
  }
  const auto robots = static_cast<std::uint32_t>(scene.robots.size());
  for (std::uint32_t b = 1; b < robots; ++b) {
    for (std::uint32_t a = 0; a < b; ++a) {
      const Sight& sight = scene.between(RobotIndex{a}, RobotIndex{b});
      auto& details = *message.add_path_details();
      details.add_ids(a + 1);
      details.add_ids(b + 1);
      details.set_los(sight.line_of_sight);
      write_hops(sight, scene, RobotIndex{a}, RobotIndex{b}, details);
    }
  }
  message.SerializeToString(&plain);
}

MaybeFault decode_channels(std::string_view plain, std::size_t robots, SightRule rule, Scene& scene) {
  if (MaybeFault fault = check_entries(plain, kChannelData, most_entries(robots))) {
    return fault;
  }
  wire::rosnetsim::ChannelData message;
  if (!message.ParseFromArray(plain.data(), static_cast<int>(plain.size()))) {
    return ProtocolFault{ProtocolError::kBadMessage, fmt::format("invalid ChannelData of {} bytes", plain.size())};
  }
  MaybeFault fault;
  scene.robots.assign(robots, kUnplaced);
  scene.sights.open_all(pair_count(robots));
  read_nodes(message, robots, scene, fault);
  for (const auto& details : message.path_details()) {
    read_sight(details, rule, scene, fault);
  }
  return fault;
}

ProtocolFault no_end(std::uint32_t window, std::uint32_t asked) {
  return {ProtocolError::kUnexpected, fmt::format("BEGIN for window {}; expected END for window {}", window, asked)};
}

ProtocolFault other_window(std::uint32_t window, std::uint32_t asked) {
  return {ProtocolError::kBadValue,
          fmt::format("END with time_val {} in answer to window {}; it is taken for the answer, as the reference "
                      "coordinator does, which never looks at time_val",
                      window, asked)};
}

}  // namespace hilgate::rosnetsim
