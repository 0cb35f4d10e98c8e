// SPDX-License-Identifier: Apache-2.0
// Where a run has its simulators' sockets: /run/hilgate/NAME/, or $XDG_RUNTIME_DIR/hilgate/NAME/ for users who may not
// write to /run/hilgate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace hilgate {

enum class RunSide : std::uint8_t { kGateway, kSimulator };

/// The folder of the run `name`: the one that is there; else, for the gateway, the one that this user may make, and for
/// a simulator the one that its gateway is expected to make. Makes nothing.
std::filesystem::path run_folder(std::string_view name, RunSide side);

/// The name of the only run that has a folder. Throws std::runtime_error when none has, or several.
std::string only_run();

/// Whether `folder` is the folder of some run, there or not.
bool is_run_folder(const std::filesystem::path& folder);

/// Makes a run's folder for owner and group hilgate (root's group without it), 0770: simulators that listen have their
/// sockets there, too. One that is there stays, shared likewise. Throws std::runtime_error when it cannot be made, or
/// when its owner is neither root, this user nor the user of the service.
void make_run_folder(const std::filesystem::path& folder);

}  // namespace hilgate
