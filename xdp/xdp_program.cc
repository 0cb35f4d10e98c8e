// SPDX-License-Identifier: Apache-2.0
#include "xdp/xdp_program.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/if_link.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

#include "capture.skel.h"
#include "capture_timed.skel.h"
#include "xdp/attached_program.h"
#include "xdp/kernel.h"
#include "xdp/rights.h"

namespace hilgate {
namespace {

[[noreturn]] void fail(const Interface& interface, const std::string& why) {
  throw std::runtime_error(fmt::format("interface {}: {}", interface.name, why));
}

std::string why_not_loaded(int error, const std::string& log) {
  if (error == EPERM || (error == EACCES && !has_all_rights())) {
    return missing_rights("loading an XDP program");
  }
  return fmt::format("the kernel rejects the XDP program: {}\n{}", std::strerror(error), log);
}

hg_management_rule rule_of(const KernelPass& pass) {
  const __be16 value = htons(pass.value);
  switch (pass.match) {
    case KernelPass::Match::kEthertype:
      return {.ethertype = value, .port = 0, .protocol = 0, .reserved = {}};
    case KernelPass::Match::kUdpPort:
      return {.ethertype = 0, .port = value, .protocol = IPPROTO_UDP, .reserved = {}};
    case KernelPass::Match::kTcpPort:
      return {.ethertype = 0, .port = value, .protocol = IPPROTO_TCP, .reserved = {}};
    case KernelPass::Match::kPtp:
      break;
  }
  throw std::logic_error("PTP is no rule of its own");
}

// The compiled program, with and without the device's timestamps. The kernel's name of its maps begins with the
// object's.
bpf_object* open_object(bool timed) {
  std::size_t bytes = 0;
  const void* elf = timed ? capture_timed_bpf__elf_bytes(&bytes) : capture_bpf__elf_bytes(&bytes);
  bpf_object_open_opts options{};
  options.sz = sizeof options;
  options.object_name = "capture_bpf";
  return bpf_object__open_mem(elf, bytes, &options);
}

bpf_program* program_of(const bpf_object* object) {
  return bpf_object__find_program_by_name(object, "hg_capture");
}

bool is_the_drivers_limit(int error) {
  return error != EPERM && error != EBUSY && error != EEXIST;
}

// In one system call: of 64 ports each second, one for each counter took a third of a window of 10 ms.
template <std::size_t N>
void sum_over_cpus(int map, std::array<hg_counter, N>& sums) {
  const std::size_t cpus = possible_cpus();
  std::vector<hg_counter> per_cpu(N * cpus);
  std::array<__u32, N> keys{};
  __u32 last = 0;
  __u32 count = N;
  if (bpf_map_lookup_batch(map, nullptr, &last, keys.data(), per_cpu.data(), &count, nullptr) != 0 && errno != ENOENT) {
    throw std::runtime_error(fmt::format("XDP counters: {}", std::strerror(errno)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (const hg_counter& one : std::span(per_cpu).subspan(i * cpus, cpus)) {
      sums.at(keys[i]).frames += one.frames;
      sums.at(keys[i]).bytes += one.bytes;
    }
  }
}

constexpr const char* kGenericHasNone =
    "the program runs in the kernel's stack (generic), which has no receive timestamps of the NIC";

static_assert(kMaxKernelPasses == HG_MANAGEMENT_RULES);
static_assert(static_cast<int>(FailMode::kNone) == HG_FAIL_NONE && static_cast<int>(FailMode::kWire) == HG_FAIL_WIRE &&
              static_cast<int>(FailMode::kBlock) == HG_FAIL_BLOCK);

}  // namespace

void XdpProgram::Delete::operator()(bpf_object* object) const {
  bpf_object__close(object);
}

XdpProgram::XdpProgram(const Interface& interface, const XdpProgramConfig& config)
    : interface_(interface), config_(config) {
  if (config.kernel_pass.size() > HG_MANAGEMENT_RULES) {
    fail(interface, fmt::format("{} kinds of traffic to pass to the kernel; the maximum is {}",
                                config.kernel_pass.size(), HG_MANAGEMENT_RULES));
  }
  assert(config.kernel != nullptr || (config.fail == FailMode::kNone && !config.kernel_links));
  if (!config.timed || !load_timed()) {
    load_untimed();
  }
}

// The kernel binds such a program to the device, whose driver answers the call for the timestamp.
bool XdpProgram::load_timed() {
  const BpfLog log;
  timed_ = true;
  frags_ = true;
  if (const int error = load(frags_); error != 0) {
    untimed_reason_ = fmt::format("the kernel takes no XDP program that reads receive timestamps ({}); Linux 6.18 does",
                                  std::strerror(error));
    timed_ = false;
    return false;
  }
  set_own(names_of_interface(interface_.name));
  return true;
}

void XdpProgram::load_untimed() {
  const BpfLog log;
  timed_ = false;
  frags_ = true;
  int error = load(frags_);
  if (error == EINVAL) {  // a kernel before 5.18 knows no frags
    frags_ = false;
    error = load(frags_);
  }
  if (error != 0) {
    fail(interface_, why_not_loaded(error, log.text()));
  }
  set_own(names_of_interface(interface_.name));
}

// Before it is attached: no socket is set yet, and nothing counted.
void XdpProgram::leave_out_timestamps(std::string why) {
  if (timed_) {
    untimed_reason_ = std::move(why);
    load_untimed();
  }
}

XdpProgram::~XdpProgram() {
  if (link_ >= 0) {
    ::close(link_);
  }
}

int XdpProgram::load(bool frags) {
  object_.reset(open_object(timed_));
  if (!object_) {
    return errno;
  }
  hg_port_config constants{};
  constants.port = config_.port.value();
  constants.managed = config_.kernel != nullptr ? 1 : 0;
  constants.fail = static_cast<__u32>(config_.fail);
  constants.kernel_links = config_.kernel_links ? 1 : 0;
  constants.ptp_served = config_.ptp_served ? 1 : 0;
  constants.management_rules = static_cast<__u32>(config_.kernel_pass.size());
  std::transform(config_.kernel_pass.begin(), config_.kernel_pass.end(), constants.management, rule_of);
  // The only thing in .rodata, whose size libbpf compares.
  if (const int error = bpf_map__set_initial_value(bpf_object__find_map_by_name(object_.get(), ".rodata"), &constants,
                                                   sizeof constants);
      error != 0) {
    return -error;
  }
  bpf_program* const program = program_of(object_.get());
  if (!frags) {
    bpf_program__set_flags(program, 0);
  }
  if (timed_) {
    bpf_program__set_ifindex(program, interface_.index);
    bpf_program__set_flags(program, bpf_program__flags(program) | kXdpDeviceBoundOnly);
  }
  bpf_map__set_max_entries(bpf_object__find_map_by_name(object_.get(), "hg_sockets"), interface_.rx_queues);
  if (config_.kernel != nullptr) {
    for (const std::string& name : KernelPath::shared_maps()) {
      bpf_map__reuse_fd(bpf_object__find_map_by_name(object_.get(), name.c_str()), config_.kernel->map(name));
    }
  }
  return -bpf_object__load(object_.get());
}

int XdpProgram::map(const char* name) const {
  return bpf_object__find_map_fd_by_name(object_.get(), name);
}

void XdpProgram::set_own(const InterfaceNames& names) {
  hg_own own{};
  std::copy(names.mac.begin(), names.mac.end(), own.mac);
  own.addresses = static_cast<__u32>(std::min<std::size_t>(names.ips.size(), HG_OWN_ADDRESSES));
  for (__u32 i = 0; i < own.addresses; ++i) {
    std::memcpy(own.ip[i].words, names.ips[i].data(), sizeof own.ip[i].words);
  }
  const std::uint32_t key = 0;
  if (bpf_map_update_elem(map("hg_own_names"), &key, &own, BPF_ANY) != 0) {
    fail(interface_, fmt::format("cannot tell the XDP program its addresses: {}", std::strerror(errno)));
  }
}

void XdpProgram::set_socket(std::uint32_t queue, int fd) {
  if (bpf_map_update_elem(map("hg_sockets"), &queue, &fd, BPF_ANY) != 0) {
    fail(interface_, fmt::format("queue {}: cannot redirect frames to the socket: {}", queue, std::strerror(errno)));
  }
}

void XdpProgram::attach(XdpMode mode) {
  if (mode == XdpMode::kGeneric) {
    leave_out_timestamps(kGenericHasNone);
  }
  if (take_over(mode)) {
    return;
  }
  if (const auto defect = native_defect(interface_); defect && mode != XdpMode::kGeneric) {
    if (mode != XdpMode::kAuto) {
      fail(interface_, *defect + "; use mode auto or generic");
    }
    fallback_reason_ = *defect;
  } else if (mode != XdpMode::kGeneric) {
    const int error = attach_native();
    if (error == 0) {
      return;
    }
    if (mode != XdpMode::kAuto || !is_the_drivers_limit(error)) {
      fail(interface_, why_not_attached(error, interface_));
    }
    fallback_reason_ = why_not_attached(error, interface_);
  }
  leave_out_timestamps(kGenericHasNone);
  const int error = try_attach(false);
  if (error != 0) {
    fail(interface_, why_not_attached(error, interface_));
  }
}

// From the program of an earlier process, if that is what is attached, and in the way that is asked for now.
bool XdpProgram::take_over(XdpMode mode) {
  if (config_.kernel == nullptr || config_.kernel->directory().empty()) {
    return false;
  }
  config_.kernel->inherit(interface_);
  const auto pin = pinned_link(config_.kernel->directory(), interface_.name);
  const int link = bpf_obj_get(pin.c_str());
  if (link < 0) {
    return false;
  }
  const bool native = attached_program(interface_.index).native;
  const bool as_asked = native ? mode != XdpMode::kGeneric : mode == XdpMode::kAuto || mode == XdpMode::kGeneric;
  const bool usable = config_.fail != FailMode::kNone && as_asked && is_link_of(link, interface_);
  if (usable && !native) {  // the kernel would not notice, and have the driver read what is not the driver's
    leave_out_timestamps(kGenericHasNone);
  }
  if (usable && bpf_link_update(link, fd(), nullptr) == 0) {
    link_ = link;
    native_ = native;
    taken_over_ = true;
    return true;
  }
  bpf_link_detach(link);
  ::close(link);
  ::unlink(pin.c_str());
  return false;
}

int XdpProgram::attach_native() {
  const int error = try_attach(true);
  if (error == 0 || !timed_ || !is_the_drivers_limit(error)) {
    return error;
  }
  leave_out_timestamps(fmt::format("the driver ({}) takes no XDP program that reads receive timestamps: {}",
                                   interface_.driver, std::strerror(error)));
  return try_attach(true);
}

int XdpProgram::try_attach(bool native) {
  bpf_link_create_opts options{};
  options.sz = sizeof options;
  options.flags = native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE;
  const int link = bpf_link_create(fd(), static_cast<int>(interface_.index), BPF_XDP, &options);
  if (link < 0) {
    return -link;
  }
  link_ = link;
  native_ = native;
  return config_.fail == FailMode::kNone ? 0 : keep_attached();
}

int XdpProgram::keep_attached() {
  const int error = -bpf_obj_pin(link_, pinned_link(config_.kernel->directory(), interface_.name).c_str());
  if (error != 0) {
    ::close(std::exchange(link_, -1));
  }
  return error;
}

void XdpProgram::detach() {
  if (link_ >= 0) {
    bpf_link_detach(link_);
    ::close(std::exchange(link_, -1));
  }
  if (config_.fail != FailMode::kNone) {
    ::unlink(pinned_link(config_.kernel->directory(), interface_.name).c_str());
  }
}

void XdpProgram::leave() {
  if (config_.fail == FailMode::kNone) {
    return detach();
  }
  if (config_.fail == FailMode::kWire) {
    const XdpProgram wall(interface_, {.fail = FailMode::kBlock, .port = config_.port, .kernel = config_.kernel});
    if (bpf_link_update(link_, wall.fd(), nullptr) != 0) {
      return detach();
    }
  }
  config_.kernel->leave(interface_);
  ::close(std::exchange(link_, -1));
}

void XdpCounters::add(const XdpCounters& more) {
  const auto sum = [](auto& into, const auto& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      into[i].frames += from[i].frames;
      into[i].bytes += from[i].bytes;
    }
  };
  sum(by_class, more.by_class);
  sum(by_outcome, more.by_outcome);
}

unsigned XdpProgram::attached_to() const {
  bpf_link_info info{};
  __u32 size = sizeof info;
  return link_ >= 0 && bpf_obj_get_info_by_fd(link_, &info, &size) == 0 ? info.xdp.ifindex : 0;
}

XdpCounters XdpProgram::counters() const {
  XdpCounters counters;
  sum_over_cpus(map("hg_class_counters"), counters.by_class);
  sum_over_cpus(map("hg_outcome_counters"), counters.by_outcome);
  return counters;
}

int XdpProgram::fd() const {
  return bpf_program__fd(program_of(object_.get()));
}

namespace {

constexpr std::size_t kKept = 4096;
thread_local std::string* listening = nullptr;

int keep(const char* format, va_list arguments) {
  if (listening == nullptr) {
    return 0;
  }
  std::array<char, kKept> line{};
  const int length = std::vsnprintf(line.data(), line.size(), format, arguments);
  listening->append(line.data());
  return length;
}

int keep_libbpf(libbpf_print_level level, const char* format, va_list arguments) {
  return level == LIBBPF_WARN ? keep(format, arguments) : 0;
}

}  // namespace

BpfLog::BpfLog() {
  listening = &text_;
  libbpf_set_print(keep_libbpf);
}

BpfLog::~BpfLog() {
  listening = nullptr;
}

std::string BpfLog::text() const {
  return text_.size() > kKept ? text_.substr(text_.size() - kKept) : text_;
}

}  // namespace hilgate
