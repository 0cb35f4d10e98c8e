// SPDX-License-Identifier: Apache-2.0
// What `hilgate status` shows of access points and their stations, and of meshes. Nothing without any.
#pragma once

#include <string>
#include <vector>

#include "gateway/status/status_report.h"

namespace hilgate {

/// Both require infrastructure mode.
std::vector<StationStatus> stations_status(const StatusInputs& inputs);
std::vector<AccessPointStatus> access_points_status(const StatusInputs& inputs);

/// Adds access points, and robots at them, to the list of media.
void add_access_points(const StatusInputs& inputs, std::vector<MediumStatus>& media);

/// Absent without a mesh.
std::optional<MeshesStatus> mesh_status(const StatusInputs& inputs);
/// For people: parts and relays; empty without a mesh.
std::string mesh_text(const StatusJson& status);
/// The table of stations for people; empty without any.
std::string stations_text(const StatusJson& status);

}  // namespace hilgate
