// SPDX-License-Identifier: Apache-2.0
// What a run gives away of itself: captures, records, a page, topics of ROS 2.
#include <numbers>
#include <stdexcept>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "physics_link/foreign_numbers.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

void read_ring(YamlReader& ring, CaptureConfig& config) {
  constexpr std::uint64_t kLeast = 1'000'000;
  constexpr Range<Nanoseconds> kTime{1s, 8760h, "1s to 8760h"};
  constexpr Range<std::uint32_t> kFiles{1, 100'000, "1 to 100000 files"};
  if (const auto size = ring.optional<Bytes>("size")) {
    if (size->value < kLeast) {
      ring.fault("size", fmt::format("'{} B' is out of range; allowed: from 1 MB on", size->value));
    }
    config.ring_bytes = size->value;
  }
  config.ring_time = read_within(ring, "time", kTime).value_or(Nanoseconds{0});
  config.ring_files = read_within(ring, "files", kFiles).value_or(0);
  if (!ring.has("size") && !ring.has("time")) {
    ring.fault("needs `size` or `time`, after which a file is followed by the next");
  }
}

WebPlan read_plan(YamlReader& plan, const std::filesystem::path& folder) {
  constexpr Range<Metres> kWidth{{0.1}, {100'000}, "0.1 m to 100 km"};
  constexpr Range<Radians> kTurn{{-2 * std::numbers::pi}, {2 * std::numbers::pi}, "-360 deg to 360 deg"};
  WebPlan read{.image = folder / plan.required<std::string>("image")};
  if (plan.has("origin")) {
    const auto corner = plan.list<Metres>("origin");
    if (corner.size() != 2 || !is_bounded({corner[0].value, corner[1].value, 0})) {
      plan.fault("origin",
                 fmt::format("must be x and y of the picture's south-west corner, for example [2m, -5m], within "
                             "{:g} m of the scene's origin",
                             kWorldReach));
    } else {
      read.x_m = corner[0].value;
      read.y_m = corner[1].value;
    }
  }
  read.width_m = require_within(plan, "width", kWidth).value_or(kWidth.low).value;
  read.rotation_rad = read_within(plan, "rotation", kTurn).value_or(Radians{}).value;
  return read;
}

}  // namespace

void read_capture(YamlReader& root, Configuration& configuration) {
  auto capture = root.optional_child("capture");
  if (!capture) {
    return;
  }
  constexpr Range<std::uint32_t> kSnaplen{1, 65535, "1 to 65535 bytes"};
  CaptureConfig& config = configuration.capture.emplace();
  config.file = configuration.file.parent_path() / capture->required<std::string>("file");
  config.snaplen = read_within(*capture, "snaplen", kSnaplen).value_or(config.snaplen);
  if (auto ring = capture->optional_child("ring")) {
    read_ring(*ring, config);
  }
}

void read_record(YamlReader& root, Configuration& configuration) {
  auto record = root.optional_child("record");
  if (!record) {
    return;
  }
  constexpr Range<Nanoseconds> kEvery{100us, 1h, "100us to 1h"};
  RecordConfig& config = configuration.record.emplace();
  config.folder = configuration.file.parent_path() / record->required<std::string>("folder");
  config.every = read_within(*record, "every", kEvery).value_or(config.every);
}

void read_ros2(YamlReader& root, Configuration& configuration) {
  auto ros2 = root.optional_child("ros2");
  if (!ros2) {
    return;
  }
  constexpr Range<Nanoseconds> kEvery{10ms, 1h, "10ms to 1h"};
  constexpr Range<Nanoseconds> kClock{1ms, 1s, "1ms to 1s"};
  Ros2Output& output = configuration.ros2_output.emplace();
  output.place = read_ros2_place(*ros2);
  output.diagnostics = read_within(*ros2, "diagnostics", kEvery);
  output.links = read_within(*ros2, "links", kEvery);
  output.connections = read_within(*ros2, "connections", kEvery);
  output.clock = read_within(*ros2, "clock", kClock);
  if (output.clock && configuration.ros2_input && configuration.ros2_input->clock) {
    ros2->fault("clock",
                "/clock is followed (`pace: follow`): who publishes it already is the one who may; remove the key");
  }
  if (!ros2->has("diagnostics") && !ros2->has("links") && !ros2->has("connections") && !ros2->has("clock")) {
    ros2->fault("publishes nothing; give `diagnostics`, `links`, `connections` or `clock` an interval, for example 1s");
  }
}

void read_web(YamlReader& root, Configuration& configuration) {
  auto web = root.optional_child("web");
  if (!web) {
    return;
  }
  WebConfig& config = configuration.web.emplace();
  if (const auto file = web->optional<std::string>("token_file")) {
    config.token_file = configuration.file.parent_path() / *file;
  }
  if (const auto file = web->optional<std::string>("tiles")) {
    config.tiles = configuration.file.parent_path() / *file;
    if (!configuration.world.scene.origin) {
      web->fault("tiles", "needs `physics.origin` or `physics.scene.origin`: where on the earth x and y are 0");
    }
  }
  if (auto plan = web->optional_child("plan")) {
    config.plan = read_plan(*plan, configuration.file.parent_path());
  }
  for (const std::string& name : web->list<std::string>("names")) {
    try {
      config.names.push_back(parse_web_name(name));
    } catch (const std::invalid_argument& error) {
      web->fault("names", error.what());
    }
  }
  try {
    config.listen = parse_web_listen(web->optional<std::string>("listen", kDefaultWebListen));
    check_web(config);
  } catch (const std::invalid_argument& error) {
    web->fault("listen", error.what());
  }
}

void read_foxglove(YamlReader& root, Configuration& configuration) {
  auto foxglove = root.optional_child("foxglove");
  if (!foxglove) {
    return;
  }
  constexpr Range<Nanoseconds> kEvery{50ms, 10s, "50ms to 10s"};
  FoxgloveConfig& config = configuration.foxglove.emplace();
  config.every = read_within(*foxglove, "every", kEvery).value_or(config.every);
  config.origins = foxglove->list<std::string>("origins");
  for (const std::string& origin : config.origins) {
    const bool has_scheme = origin.starts_with("http://") || origin.starts_with("https://");
    if (!has_scheme || origin.find('/', origin.find("//") + 2) != std::string::npos) {
      foxglove->fault("origins", fmt::format("'{}' is no origin of pages; it is scheme, host and port, for example "
                                             "https://app.foxglove.dev",
                                             origin));
    }
  }
  const auto listen = foxglove->optional<std::string>("listen", kDefaultFoxgloveListen);
  const bool insecure = foxglove->optional<bool>("insecure", false);
  try {
    config.listen = parse_web_listen(listen);
  } catch (const std::invalid_argument& error) {
    foxglove->fault("listen", error.what());
    return;
  }
  if (!config.listen.socket.empty()) {
    foxglove->fault("listen", fmt::format("'{}' is a Unix socket, to which Foxglove cannot connect; example: {}",
                                          listen, kDefaultFoxgloveListen));
  } else if (!config.listen.loopback && !insecure) {
    foxglove->fault("listen", fmt::format("other machines reach {}, without authentication; choose a loopback "
                                          "address, or write `insecure: true`",
                                          listen));
  }
}

}  // namespace hilgate
