// SPDX-License-Identifier: Apache-2.0
#include "physics_link/native/native_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/plain_text.h"
#include "physics_link/connection/entry_limit.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/native/native.pb.h"

namespace hilgate::native {
namespace {

using wire::native::Message;
namespace pb = wire::native;

constexpr std::array<EntryShape, 2> kSight = {
    {{.field = pb::Sight::kPathsFieldNumber}, {.field = pb::Sight::kWallsFieldNumber}}};
constexpr std::array<EntryShape, 2> kScene = {
    {{.field = pb::Scene::kRobotsFieldNumber}, {.field = pb::Scene::kSightsFieldNumber, .inside = kSight}}};
constexpr std::array<EntryShape, 1> kHello = {{{.field = pb::Hello::kRobotsFieldNumber, .is_text = true}}};
constexpr std::array<EntryShape, 2> kBegin = {
    {{.field = pb::Begin::kSceneFieldNumber, .inside = kScene}, {.field = pb::Begin::kPacketsFieldNumber}}};
constexpr std::array<EntryShape, 3> kEnd = {{{.field = pb::End::kSceneFieldNumber, .inside = kScene},
                                             {.field = pb::End::kVerdictsFieldNumber},
                                             {.field = pb::End::kLinksFieldNumber}}};
constexpr std::array<EntryShape, 3> kMessage = {{{.field = Message::kHelloFieldNumber, .inside = kHello},
                                                 {.field = Message::kBeginFieldNumber, .inside = kBegin},
                                                 {.field = Message::kEndFieldNumber, .inside = kEnd}}};

MaybeFault parse(std::string_view body, Message::KindCase wanted, std::string_view what, Message& message,
                 std::size_t robots = 0) {
  if (MaybeFault fault = check_parts(body, robots)) {
    return fault;
  }
  if (!message.ParseFromArray(body.data(), static_cast<int>(body.size())) || message.kind_case() != wanted) {
    return ProtocolFault{ProtocolError::kBadMessage,
                         fmt::format("invalid {1} message of {0} bytes", body.size(), what)};
  }
  return std::nullopt;
}

std::optional<Pose> read_pose(const wire::native::Pose& pose) {
  return bounded_pose({pose.x(), pose.y(), pose.z()}, {.w = pose.qw(), .x = pose.qx(), .y = pose.qy(), .z = pose.qz()});
}

void write_sight(std::uint32_t a, std::uint32_t b, const Sight& sight, wire::native::Scene& message) {
  auto& out = *message.add_sights();
  out.set_a(a);
  out.set_b(b);
  out.set_blocked(!sight.line_of_sight);
  for (const Path& path : sight.paths) {
    auto& points = *out.add_paths();
    for (const PathPoint& point : path) {
      for (const double number : {point.at.x, point.at.y, point.at.z, point.loss_db}) {
        points.add_points(number);
      }
    }
  }
  for (const WallCrossing& wall : sight.walls) {
    auto& to = *out.add_walls();
    to.set_material(wall.material);
    to.set_thickness_m(wall.thickness_m);
    to.set_incidence_rad(wall.incidence_rad);
  }
}

MaybeFault read_sight(const wire::native::Sight& message, Scene& scene) {
  const std::size_t robots = scene.robots.size();
  if (message.a() >= robots || message.b() >= robots || message.a() == message.b()) {
    return ProtocolFault{
        ProtocolError::kBadValue,
        fmt::format("line of sight between robots {} and {}; robots are 0..{}", message.a(), message.b(), robots - 1)};
  }
  Sight& sight = scene.sights[pair_index(RobotIndex{message.a()}, RobotIndex{message.b()})];
  sight.line_of_sight = !message.blocked();
  for (const auto& path : message.paths()) {
    if (path.points_size() % 4 != 0) {
      return ProtocolFault{ProtocolError::kUnequalArrays,
                           fmt::format("path of {} numbers; each point has 4", path.points_size())};
    }
    Path& out = sight.paths.emplace_back();
    for (int i = 0; i < path.points_size(); i += 4) {
      const auto at = bounded_position({path.points(i), path.points(i + 1), path.points(i + 2)});
      const auto loss_db = bounded_decibels(path.points(i + 3));
      if (!at || !loss_db) {
        sight.paths.pop_back();
        return ProtocolFault{ProtocolError::kBadValue,
                             fmt::format("a path between robots {} and {} with a point or a loss out "
                                         "of range; points lie within {:g} m",
                                         message.a(), message.b(), kWorldReach)};
      }
      out.push_back({.at = *at, .loss_db = *loss_db});
    }
  }
  for (const auto& wall : message.walls()) {
    if (!(wall.thickness_m() >= 0 && wall.thickness_m() <= kWorldReach && std::abs(wall.incidence_rad()) <= 2)) {
      return ProtocolFault{ProtocolError::kBadValue,
                           fmt::format("a wall {} m thick, met at {} rad", wall.thickness_m(), wall.incidence_rad())};
    }
    sight.walls.push_back(
        {.material = wall.material(), .thickness_m = wall.thickness_m(), .incidence_rad = wall.incidence_rad()});
  }
  return std::nullopt;
}

}  // namespace

MaybeFault check_parts(std::string_view body, std::size_t robots) {
  return check_entries(body, kMessage, most_entries(robots));
}

Kind kind_of(std::string_view body) {
  // Message has nothing but its oneof, so the first tag names it: field number and wire type 2 (length-delimited).
  if (body.empty() || (body[0] & 7) != 2) {
    return Kind::kNone;
  }
  const int field = static_cast<unsigned char>(body[0]) >> 3;
  return field >= 1 && field <= 4 ? static_cast<Kind>(field) : Kind::kNone;
}

void encode(const Hello& hello, std::string& body) {
  Message message;
  auto& out = *message.mutable_hello();
  out.set_version(hello.version);
  out.set_role(static_cast<wire::native::Hello::Role>(hello.role));
  out.set_name(hello.name);
  out.set_step_ns(hello.step.count());
  for (const std::string& robot : hello.robots) {
    out.add_robots(robot);
  }
  message.SerializeToString(&body);
}

MaybeFault decode(std::string_view body, Hello& hello) {
  Message message;
  if (MaybeFault fault = parse(body, Message::kHello, "hello", message)) {
    return fault;
  }
  const auto& in = message.hello();
  hello.version = in.version();
  hello.role = static_cast<Role>(in.role());
  hello.name = in.name();
  hello.step = bounded_delay(in.step_ns()).value_or(Nanoseconds{0});
  if (static_cast<std::size_t>(in.robots_size()) > kMostRobots) {
    return ProtocolFault{ProtocolError::kBadMessage,
                         fmt::format("hello names {} robots; the maximum is {}", in.robots_size(), kMostRobots)};
  }
  hello.robots.assign(in.robots().begin(), in.robots().end());
  return std::nullopt;
}

MaybeFault check_hello(const Hello& hello, Role expected) {
  if (hello.version != kVersion) {
    return ProtocolFault{ProtocolError::kUnexpected,
                         fmt::format("'{}' uses version {} of the native protocol; this program uses {}",
                                     shown(hello.name), hello.version, kVersion)};
  }
  if (hello.role != expected) {
    constexpr const char* kNames[] = {"the gateway", "a physics simulator", "a network simulator"};
    const auto role = static_cast<std::size_t>(hello.role);
    return ProtocolFault{ProtocolError::kUnexpected, fmt::format("'{}' is {}; expected {}", shown(hello.name),
                                                                 role < 3 ? kNames[role] : "of an unknown role",
                                                                 kNames[static_cast<std::size_t>(expected)])};
  }
  return std::nullopt;
}

void encode_close(std::string_view why, std::string& body) {
  Message message;
  message.mutable_close()->set_why(std::string(why));
  message.SerializeToString(&body);
}

MaybeFault decode_close(std::string_view body, std::string& why) {
  Message message;
  if (MaybeFault fault = parse(body, Message::kClose, "close", message)) {
    return fault;
  }
  why = message.close().why();
  return std::nullopt;
}

void encode(const PhysicsBegin& begin, std::string& body) {
  Message message;
  auto& out = *message.mutable_begin();
  out.set_window(begin.window);
  out.set_start_ns(begin.start.time_since_epoch().count());
  out.set_length_ns(begin.length.count());
  message.SerializeToString(&body);
}

MaybeFault decode(std::string_view body, PhysicsBegin& begin) {
  Message message;
  if (MaybeFault fault = parse(body, Message::kBegin, "begin", message)) {
    return fault;
  }
  begin = {.window = message.begin().window(),
           .start = nearest_time(message.begin().start_ns()),
           .length = bounded_delay(message.begin().length_ns()).value_or(Nanoseconds{0})};
  return std::nullopt;
}

void encode_physics_end(std::uint64_t window, const Scene* scene, std::string& body) {
  Message message;
  message.mutable_end()->set_window(window);
  if (scene != nullptr) {
    write_scene(*scene, *message.mutable_end()->mutable_scene());
  }
  message.SerializeToString(&body);
}

MaybeFault decode(std::string_view body, std::size_t robots, PhysicsEnd& end, Scene& scene) {
  Message message;
  if (MaybeFault fault = parse(body, Message::kEnd, "end", message, robots)) {
    return fault;
  }
  end = {.window = message.end().window(), .has_scene = message.end().has_scene()};
  if (!end.has_scene) {
    return std::nullopt;
  }
  MaybeFault fault = read_scene(message.end().scene(), robots, scene);
  for (Sight& sight : scene.sights.told_sights()) {
    sight.walls.clear();  // materials are the gateway's own, and no external physics knows their numbers
  }
  return fault;
}

void write_scene(const Scene& scene, wire::native::Scene& message) {
  message.set_at_ns(scene.at.time_since_epoch().count());
  for (const Pose& pose : scene.robots) {
    auto& out = *message.add_robots();
    out.set_x(pose.position.x);
    out.set_y(pose.position.y);
    out.set_z(pose.position.z);
    if (!pose.oriented && pose.orientation == Quaternion{}) {
      continue;  // four zeros: unknown
    }
    out.set_qw(pose.orientation.w);
    out.set_qx(pose.orientation.x);
    out.set_qy(pose.orientation.y);
    out.set_qz(pose.orientation.z);
  }
  for (std::uint32_t b = 1; b < scene.robots.size(); ++b) {
    for (std::uint32_t a = 0; a < b; ++a) {
      const Sight& sight = scene.between(RobotIndex{a}, RobotIndex{b});
      if (!sight.line_of_sight || !sight.paths.empty()) {
        write_sight(a, b, sight, message);
      }
    }
  }
}

MaybeFault read_scene(const wire::native::Scene& message, std::size_t robots, Scene& scene) {
  MaybeFault fault;
  scene.at = nearest_time(message.at_ns());
  scene.robots.resize(robots, kUnplaced);
  scene.sights.open_all(pair_count(robots));
  const auto given = static_cast<std::size_t>(message.robots_size());
  if (given != robots) {
    fault = ProtocolFault{ProtocolError::kUnequalArrays,
                          fmt::format("says where {} robots are; {} are configured", given, robots)};
  }
  for (std::size_t i = 0; i < std::min(given, robots); ++i) {
    const auto& given_pose = message.robots(static_cast<int>(i));
    if (const auto pose = read_pose(given_pose)) {
      scene.robots[i] = *pose;
    } else if (!fault || fault->error != ProtocolError::kBadValue) {
      fault = ProtocolFault{ProtocolError::kBadValue,
                            fmt::format("robot {} has a pose that is {}", i,
                                        unbounded_text({given_pose.x(), given_pose.y(), given_pose.z()}))};
    }
  }
  for (const auto& sight : message.sights()) {
    if (MaybeFault wrong = read_sight(sight, scene); wrong && (!fault || fault->error != ProtocolError::kBadValue)) {
      fault = std::move(wrong);
    }
  }
  return fault;
}

SessionProtocol::ControlMessage read_control(std::string_view body, Role peer, Hello& theirs, MaybeFault& fault,
                                             std::string& why) {
  switch (kind_of(body)) {
    case Kind::kHello:
      fault = decode(body, theirs);
      if (!fault) {
        fault = check_hello(theirs, peer);
      }
      return SessionProtocol::ControlMessage::kHello;
    case Kind::kClose:
      if (const MaybeFault garbled = decode_close(body, why)) {
        why = garbled->detail;
      }
      return SessionProtocol::ControlMessage::kGoodbye;
    default:
      return SessionProtocol::ControlMessage::kNone;
  }
}

MaybeFault check_window(std::uint64_t window, const Step& step) {
  if (window == step.number) {
    return std::nullopt;
  }
  return ProtocolFault{ProtocolError::kUnexpected,
                       fmt::format("END for window {}; expected window {}", window, step.number)};
}

}  // namespace hilgate::native
