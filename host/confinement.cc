// SPDX-License-Identifier: Apache-2.0
#include "host/confinement.h"

#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace hilgate {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kX32 = 0x4000'0000;  // the same calls by other numbers
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kX32 = 0xFFFF'FFFF;  // no call
#else
#error "host/confinement.cc knows the system calls of x86_64 and aarch64"
#endif

constexpr std::array kRefused = {
    SYS_execve,
    SYS_execveat,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsmount,
    SYS_fsconfig,
    SYS_mount_setattr,
    SYS_setns,
    SYS_unshare,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_syslog,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setgroups,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_userfaultfd,
    SYS_personality,
    SYS_fanotify_init,
    SYS_open_by_handle_at,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_getfd,
    SYS_kcmp,
};

void require_done(int result, const char* what) {
  if (result != 0) {
    throw std::system_error(errno, std::generic_category(), what);
  }
}

void drop_capabilities(std::span<const Capability> keep) {
  std::uint64_t kept = 0;
  for (const Capability& capability : keep) {
    kept |= std::uint64_t{1} << capability.number;
  }
  require_done(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "drop ambient capabilities");
  // Needs CAP_SETPCAP, which a service does not have; without execve the bounding set has no say any more.
  for (int number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; ++number) {
    if ((kept >> number & 1U) == 0) {
      prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
    }
  }
  __user_cap_header_struct header{};
  header.version = _LINUX_CAPABILITY_VERSION_3;
  std::array<__user_cap_data_struct, 2> words{};
  require_done(static_cast<int>(syscall(SYS_capget, &header, words.data())), "read capabilities");
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i].permitted &= static_cast<std::uint32_t>(kept >> (32 * i));
    words[i].effective &= words[i].permitted;
    words[i].inheritable = 0;
  }
  require_done(static_cast<int>(syscall(SYS_capset, &header, words.data())), "drop capabilities");
}

sock_filter filter_statement(std::uint16_t code, std::uint32_t value) {
  return {code, 0, 0, value};
}

// Skips `equal` or `other` statements.
sock_filter filter_jump(std::uint16_t test, std::uint32_t value, std::uint8_t equal, std::uint8_t other) {
  return {static_cast<std::uint16_t>(BPF_JMP | BPF_K | test), equal, other, value};
}

std::vector<sock_filter> refusing_filter() {
  const std::uint32_t refuse = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(EPERM);
  std::vector<sock_filter> program = {
      filter_statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      filter_jump(BPF_JEQ, kArchitecture, 1, 0),
      filter_statement(BPF_RET | BPF_K, refuse),
      filter_statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      filter_jump(BPF_JGE, kX32, 0, 1),
      filter_statement(BPF_RET | BPF_K, refuse),
  };
  for (const auto call : kRefused) {
    program.push_back(filter_jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(filter_statement(BPF_RET | BPF_K, refuse));
  }
  program.push_back(filter_statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return program;
}

void refuse_calls() {
  require_done(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "set no_new_privs");
  std::vector<sock_filter> program = refusing_filter();
  const sock_fprog loaded{static_cast<unsigned short>(program.size()), program.data()};
  require_done(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &loaded, 0, 0), "set the filter of system calls");
}

}  // namespace

void confine(std::span<const Capability> keep) {
  drop_capabilities(keep);
  refuse_calls();
}

namespace {

std::uint64_t effective_capabilities() {
  __user_cap_header_struct header{};
  header.version = _LINUX_CAPABILITY_VERSION_3;
  std::array<__user_cap_data_struct, 2> words{};
  syscall(SYS_capget, &header, words.data());
  return words[0].effective | (std::uint64_t{words[1].effective} << 32);
}

}  // namespace

std::string missing_capabilities(std::span<const Capability> needed) {
  const std::uint64_t have = effective_capabilities();
  std::string missing;
  for (const Capability& capability : needed) {
    if ((have >> capability.number & 1U) == 0) {
      missing += (missing.empty() ? "" : " and ") + std::string(capability.name);
    }
  }
  return missing;
}

void require_capabilities(std::string_view what, std::span<const Capability> needed) {
  const std::string missing = missing_capabilities(needed);
  if (!missing.empty()) {
    throw std::runtime_error(fmt::format("{} needs {}; run it as root", what, missing));
  }
}

}  // namespace hilgate
