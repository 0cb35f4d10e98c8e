// SPDX-License-Identifier: Apache-2.0
// name, seed, window, memory, hold, packet_loop, heartbeat, profiles.
#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

void read_memory(YamlReader& memory, MemoryConfig& config) {
  constexpr Range<std::uint32_t> kFrames{1024, MemoryConfig::kMostFrames, "1024 to 16777216 frames"};
  config.frames = read_within(memory, "frames", kFrames).value_or(config.frames);
  const auto size = memory.optional<Bytes>("frame_size", Bytes{config.frame_bytes});
  if (size.value != 2048 && size.value != 4096) {
    memory.fault("frame_size", fmt::format("'{} B' is out of range; allowed: 2048 B, 4096 B", size.value));
    return;
  }
  config.frame_bytes = static_cast<std::uint32_t>(size.value);
}

void read_profile_paths(YamlReader& root, Configuration& configuration) {
  for (YamlReader& item : root.items("profiles")) {
    const std::string text = item.as<std::string>();
    const auto directory = item.file_named(text);
    if (!std::filesystem::is_directory(directory)) {
      item.fault(fmt::format("'{}' is not a directory (searched: {})", shown(text), directory.string()));
    }
    configuration.profile_paths.push_back(directory);
  }
}

}  // namespace

void read_general(YamlReader& root, Configuration& configuration) {
  configuration.name = root.required<std::string>("name");
  if (root.has("name")) {
    check_name(root.child("name"), configuration.name);
  }
  configuration.seed = root.optional<std::uint64_t>("seed", configuration.seed);
  constexpr Range<Nanoseconds> kWindow{100us, 10s, "100us to 10s"};
  configuration.window = read_within(root, "window", kWindow).value_or(configuration.window);
  if (auto memory = root.optional_child("memory")) {
    read_memory(*memory, configuration.memory);
  }
  if (auto hold = root.optional_child("hold")) {
    constexpr Range<std::uint32_t> kFrames{64, 16'777'216, "64 to 16777216 frames"};
    configuration.hold_frames = read_within(*hold, "frames", kFrames).value_or(configuration.hold_frames);
  }
  if (auto heartbeat = root.optional_child("heartbeat")) {
    constexpr Range<Nanoseconds> kStale{2ms, 1h, "2ms to 1h"};
    const auto stale = read_within(*heartbeat, "stale", kStale);
    configuration.heartbeat_stale =
        std::chrono::duration_cast<std::chrono::milliseconds>(stale.value_or(configuration.heartbeat_stale));
  }
  read_profile_paths(root, configuration);
}

}  // namespace hilgate
