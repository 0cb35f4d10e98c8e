// SPDX-License-Identifier: Apache-2.0
// What gateways keep on interfaces beyond their processes, and who takes it over or away.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "xdp/kernel_path.h"
#include "xdp/kernel_path_files.h"
#include "xdp/promiscuous.h"

namespace hilgate {
namespace {

using std::filesystem::path;

constexpr std::string_view kPromiscuousPin = "promiscuous-";  // the plane's map again: the flag of this one is ours

void detach_link(const path& pin) {
  if (const int link = bpf_obj_get(pin.c_str()); link >= 0) {
    bpf_link_detach(link);  // at once; taking the pin away alone does it later
    ::close(link);
  }
  remove_pin(pin);
}

// What pins of this kind are named after.
std::vector<std::string> pinned(const path& directory, std::string_view kind) {
  std::vector<std::string> interfaces;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (const std::string name = entry.path().filename(); name.starts_with(kind)) {
      interfaces.push_back(name.substr(kind.size()));
    }
  }
  std::sort(interfaces.begin(), interfaces.end());
  return interfaces;
}

path promiscuous_pin(const path& directory, const std::string& interface) {
  return directory / (std::string(kPromiscuousPin) + interface);
}

}  // namespace

void remove_pin(const path& pin) {
  std::error_code gone_already;
  std::filesystem::remove(pin, gone_already);
}

void KernelPath::keep_promiscuous(const std::string& interface, bool keep) {
  const path pin = promiscuous_pin(config_.directory, interface);
  if (keep) {
    if (set_promiscuous(interface, true)) {
      bpf_obj_pin(map("hg_plane"), pin.c_str());
    }
  } else if (std::filesystem::exists(pin)) {
    set_promiscuous(interface, false);
    remove_pin(pin);
  }
}

std::vector<std::string> KernelPath::detach(const path& directory) {
  std::vector<std::string> freed = pinned(directory, kLeftPin);
  const bool alive = is_alive_after_all(directory);
  if (alive && freed.empty()) {
    throw std::runtime_error(
        fmt::format("the gateway that uses the maps in {} is running; stop it first", directory.string()));
  }
  for (const std::string& interface : freed) {
    detach_link(left_link(directory, interface));
  }
  if (alive) {
    return freed;
  }
  for (const std::string& interface : pinned(directory, kLinkPin)) {
    detach_link(pinned_link(directory, interface));
    freed.push_back(interface);
  }
  std::sort(freed.begin(), freed.end());
  for (const std::string& interface : pinned(directory, kPromiscuousPin)) {
    remove_pin(promiscuous_pin(directory, interface));
    if (::if_nametoindex(interface.c_str()) != 0) {  // it may have gone with its lab
      set_promiscuous(interface, false);
    }
  }
  remove_pin(directory / kPlanePin);
  remove_pin(directory);
  return freed;
}

// The other run has nothing to keep when this was its last interface and it has ended.
void KernelPath::inherit(const Interface& interface) const {
  const auto run = run_that_keeps(interface);
  if (!run || run->alive || config_.directory.empty()) {
    return;
  }
  const path other = config_.directory.parent_path() / run->name;
  std::error_code not_there;
  rename(run->link, pinned_link(config_.directory, interface.name), not_there);
  if (run->name == config_.directory.filename()) {
    return;
  }
  rename(promiscuous_pin(other, interface.name), promiscuous_pin(config_.directory, interface.name), not_there);
  if (!is_alive(other) && pinned(other, kLinkPin).empty() && pinned(other, kLeftPin).empty()) {
    detach(other);
  }
}

void KernelPath::leave(const Interface& interface) const {
  std::error_code not_there;
  rename(pinned_link(config_.directory, interface.name), left_link(config_.directory, interface.name), not_there);
}

}  // namespace hilgate
