// SPDX-License-Identifier: Apache-2.0
// What is checked of a host, whatever the configuration. Each adds its findings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hw/doctor/subject.h"

namespace hilgate {

/// The kernel's files in /proc and /sys, below `root`: "/", or a copy for tests. Paths are without leading slash.
class HostFiles {
 public:
  explicit HostFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  [[nodiscard]] bool exists(const std::string& path) const;
  /// The first line; empty when there is no such file or it cannot be read.
  [[nodiscard]] std::optional<std::string> line(const std::string& path) const;
  [[nodiscard]] std::optional<std::uint64_t> number(const std::string& path) const;
  /// The first line of a file that begins with `key`.
  [[nodiscard]] std::optional<std::string> line_of(const std::string& path, const std::string& key) const;
  /// Replaces a file's content. Why not, when it cannot be written; else empty.
  [[nodiscard]] std::string write(const std::string& path, const std::string& text) const;
  /// Names in a directory, sorted; none when it is not there.
  [[nodiscard]] std::vector<std::string> names(const std::string& path) const;

 private:
  std::filesystem::path root_;
};

// What the doctor requires of a host, and fixes with --fix.

constexpr const char* kBacklogFile = "proc/sys/net/core/netdev_max_backlog";
constexpr std::uint64_t kBacklog = 10'000;  // frames

constexpr const char* kHugePagesFile = "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";
constexpr std::uint64_t kHugePages = 64;
constexpr std::uint64_t kHugePageKib = 2048;

/// Processors, those kept free, idle states and frequencies, TSC and clocksource. `cpu`: of the packet path, if that is
/// configured.
void check_processors(const HostFiles& host, std::optional<std::uint32_t> cpu, Findings& findings);
/// Kernel, BTF, AF_XDP, BPF's compiler, backlog.
void check_kernel(const HostFiles& host, Findings& findings);
/// Huge pages and what may be locked.
void check_memory(const HostFiles& host, Findings& findings);
/// The rights of this process.
void check_rights(Findings& findings);
/// Hardware clocks and linuxptp.
void check_clocks(const HostFiles& host, Findings& findings);

}  // namespace hilgate
