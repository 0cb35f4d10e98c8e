// SPDX-License-Identifier: Apache-2.0
// A record as a scene that moves: what Foxglove draws of messages foxglove.SceneUpdate
// (https://docs.foxglove.dev/docs/sdk/schemas/scene-update).
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/mcap/mcap_reader.h"

namespace hilgate {

/// A box of the scene, in m: east, north, up.
struct SceneBox {
  std::string name;
  std::array<double, 3> low{}, high{};
};

struct SceneCount {
  McapEnd end{};
  std::size_t updates = 0;
};

/// Writes `out`, an MCAP with the topic /scene: robots with their names where the record has them, links with traffic
/// coloured by their loss of the last second, and `boxes`. Throws as read_record(), and std::system_error for a file
/// that cannot be written.
SceneCount write_scene(const std::filesystem::path& record, std::span<const SceneBox> boxes,
                       const std::filesystem::path& out);

}  // namespace hilgate
