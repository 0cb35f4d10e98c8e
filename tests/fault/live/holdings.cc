// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/live/holdings.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/sanitized.h"

namespace hilgate::test {
namespace {

namespace fs = std::filesystem;

std::size_t entries_of(const fs::path& folder) {
  std::error_code gone;
  std::size_t count = 0;
  for (auto entry = fs::directory_iterator(folder, gone); !gone && entry != fs::directory_iterator(); ++count) {
    entry.increment(gone);
  }
  return count;
}

// The values of a key in all of a process's descriptors.
void collect(const fs::path& process, const std::string& key, std::set<std::uint32_t>& into) {
  std::error_code gone;
  for (auto entry = fs::directory_iterator(process / "fdinfo", gone); !gone && entry != fs::directory_iterator();
       entry.increment(gone)) {
    std::ifstream file(entry->path());
    for (std::string word; file >> word;) {
      std::uint32_t number = 0;
      if (word == key && file >> number) {
        into.insert(number);
      }
    }
  }
}

std::size_t resident_kib(const fs::path& process) {
  std::ifstream file(process / "status");
  for (std::string word; file >> word;) {
    std::size_t kib = 0;
    if (word == "VmRSS:" && file >> kib) {
      return kib;
    }
  }
  return 0;
}

}  // namespace

Holdings Holdings::of(pid_t process) {
  const fs::path folder = fmt::format("/proc/{}", process);
  Holdings held{.descriptors = entries_of(folder / "fd"),
                .threads = entries_of(folder / "task"),
                .resident_kib = hilgate::test::resident_kib(folder)};
  collect(folder, "prog_id:", held.programs);
  collect(folder, "map_id:", held.maps);
  return held;
}

std::size_t kib_of_slack() {
  return kAddressSanitizer ? 256U << 10U : 16U << 10U;
}

std::vector<std::string> alive_in_kernel(const Holdings& of) {
  std::vector<std::string> alive;
  const auto look = [&alive](int fd, const char* kind, std::uint32_t id) {
    if (fd >= 0) {
      alive.push_back(fmt::format("{} {}", kind, id));
      close(fd);
    }
  };
  for (const std::uint32_t id : of.programs) {
    look(bpf_prog_get_fd_by_id(id), "program", id);
  }
  for (const std::uint32_t id : of.maps) {
    look(bpf_map_get_fd_by_id(id), "map", id);
  }
  return alive;
}

std::set<std::string> network_namespaces() {
  std::set<std::string> names;
  std::error_code none;
  for (auto entry = fs::directory_iterator("/run/netns", none); !none && entry != fs::directory_iterator();
       entry.increment(none)) {
    names.insert(entry->path().filename());
  }
  return names;
}

}  // namespace hilgate::test
