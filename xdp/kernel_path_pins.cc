// SPDX-License-Identifier: Apache-2.0
// Where kernel paths keep what outlives their processes.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "xdp/attached_program.h"
#include "xdp/kernel_path.h"
#include "xdp/rights.h"

namespace hilgate {
namespace {

using std::filesystem::path;

constexpr const char* kBpfFileSystem = "/sys/fs/bpf";

bool is_bpf_file_system(const path& where) {
  struct statfs info {};
  return ::statfs(where.c_str(), &info) == 0 && info.f_type == BPF_FS_MAGIC;
}

path folder_of_runs() {
  return path(kBpfFileSystem) / "hilgate";
}

}  // namespace

path kernel_path_directory(const std::string& run) {
  if (!is_bpf_file_system(kBpfFileSystem) && ::mount("bpf", kBpfFileSystem, "bpf", 0, "mode=0700") != 0) {
    if (errno == EPERM && !has_all_rights()) {
      throw std::runtime_error("ports with a fail mode: " + missing_rights("a program that outlives the gateway"));
    }
    throw std::runtime_error(fmt::format("{} is not a BPF file system, which fail modes need: mount -t bpf bpf {}",
                                         kBpfFileSystem, kBpfFileSystem));
  }
  return folder_of_runs() / run;
}

// A link has the number of its interface and not its network namespace, where another may have the same number; the
// number of a program is unique.
bool is_link_of(int link, const Interface& interface) {
  bpf_link_info info{};
  __u32 size = sizeof info;
  return bpf_obj_get_info_by_fd(link, &info, &size) == 0 && info.type == BPF_LINK_TYPE_XDP &&
         info.xdp.ifindex == interface.index && info.prog_id == attached_program(interface.index).id;
}

std::optional<KeepingRun> run_that_keeps(const Interface& interface) {
  std::error_code none;
  for (const auto& run : std::filesystem::directory_iterator(folder_of_runs(), none)) {
    for (const path& pin : {pinned_link(run.path(), interface.name), left_link(run.path(), interface.name)}) {
      const int link = bpf_obj_get(pin.c_str());
      if (link < 0) {
        continue;
      }
      const bool keeps = is_link_of(link, interface);
      ::close(link);
      if (keeps) {
        const bool left = pin == left_link(run.path(), interface.name);
        return KeepingRun{
            .name = run.path().filename(), .alive = !left && KernelPath::is_alive(run.path()), .link = pin};
      }
    }
  }
  return std::nullopt;
}

path pinned_link(const path& directory, const std::string& interface) {
  return directory / (std::string(kLinkPin) + interface);
}

path left_link(const path& directory, const std::string& interface) {
  return directory / (std::string(kLeftPin) + interface);
}

}  // namespace hilgate
