// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "bench/certify/figure.h"

namespace hilgate {

/// Where a measuring process has its files that may not have mounts of its own: hilgate-certify-PID in the folder for
/// temporary files, for this user alone. Throws std::runtime_error when it cannot be made.
std::filesystem::path make_private_folder(pid_t process);

/// Removes that of a process that has ended, if it made one, and those of this user whose processes were killed.
void remove_private_folders(pid_t ended) noexcept;

/// Reports one figure of this round.
using CertifySay = std::function<void(std::string_view figure, double value)>;

struct ChildEnd {
  bool stopped = false;  // stop() was true
  std::string failure;   // what the measuring threw, or how the process ended; empty: neither
};

/// Runs `measure` in a process of its own and adds its figures to `samples`. With CAP_SYS_ADMIN it has mounts of its
/// own: /run and BPF's file system are empty there, so that nothing of it can be left. The process is killed when
/// `stop` is true, asked ten times a second, and ends with the calling thread; what it started ends with it, and is
/// waited for. Throws std::runtime_error when no process can be started.
ChildEnd run_measuring_child(const std::function<void(const CertifySay& say)>& measure,
                             const std::function<bool()>& stop, CertifySamples& samples);

}  // namespace hilgate
