// SPDX-License-Identifier: Apache-2.0
#include "host/confinement.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

// What a program that only reads files has no use for, in addition.
constexpr std::array kRefusedToReaders = {
#if defined(__x86_64__)
    SYS_creat,
    SYS_unlink,
    SYS_rename,
    SYS_mkdir,
    SYS_rmdir,
    SYS_link,
    SYS_symlink,
    SYS_mknod,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_fork,
#endif
    SYS_socket,
    SYS_socketpair,
    SYS_io_uring_setup,
    SYS_openat2,
    SYS_unlinkat,
    SYS_renameat,
    SYS_renameat2,
    SYS_mkdirat,
    SYS_linkat,
    SYS_symlinkat,
    SYS_mknodat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_truncate,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_shmget,
    SYS_msgget,
    SYS_semget,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_kill,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_pidfd_open,
    SYS_pidfd_send_signal,
};

/// A call that is allowed by one of its arguments alone.
struct ConditionalCall {
  long call = 0;
  std::size_t argument = 0;
  std::uint16_t test = BPF_JSET;  // of the argument's lower half against the value
  std::uint32_t value = 0;
  bool allowed = true;  // where the test holds; where it does not, the opposite
};

std::vector<ConditionalCall> conditional_calls() {
  constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
  return {
#if defined(__x86_64__)
    {.call = SYS_open, .argument = 1, .value = kWriting, .allowed = false},
#endif
        {.call = SYS_openat, .argument = 2, .value = kWriting, .allowed = false},
        {.call = SYS_clone, .argument = 0, .value = CLONE_VM},  // threads
        {.call = SYS_tgkill, .argument = 0, .test = BPF_JEQ, .value = static_cast<std::uint32_t>(getpid())},
        {.call = SYS_prlimit64, .argument = 0, .test = BPF_JEQ, .value = 0},  // its own
  };
}

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

template <class Calls>
void append_refused(const Calls& calls, int error, std::vector<sock_filter>& program) {
  for (const auto call : calls) {
    program.push_back(filter_jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(filter_statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)));
  }
}

// Without the statement that allows the rest.
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
  append_refused(kRefused, EPERM, program);
  return program;
}

std::vector<sock_filter> reader_filter() {
  constexpr std::array kNewerClone = {SYS_clone3};  // whose arguments no filter sees; without it, libraries use clone
  std::vector<sock_filter> program = refusing_filter();
  append_refused(kRefusedToReaders, EPERM, program);
  append_refused(kNewerClone, ENOSYS, program);
  const std::uint32_t refuse = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(EPERM);
  for (const ConditionalCall& rule : conditional_calls()) {
    const auto argument =
        static_cast<std::uint32_t>(offsetof(seccomp_data, args) + rule.argument * sizeof(std::uint64_t));
    program.push_back(filter_jump(BPF_JEQ, static_cast<std::uint32_t>(rule.call), 0, 4));
    program.push_back(filter_statement(BPF_LD | BPF_W | BPF_ABS, argument));
    program.push_back(filter_jump(rule.test, rule.value, 0, 1));
    program.push_back(filter_statement(BPF_RET | BPF_K, rule.allowed ? SECCOMP_RET_ALLOW : refuse));
    program.push_back(filter_statement(BPF_RET | BPF_K, rule.allowed ? refuse : SECCOMP_RET_ALLOW));
  }
  return program;
}

void set_filter(std::vector<sock_filter> program) {
  program.push_back(filter_statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  require_done(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "set no_new_privs");
  const sock_fprog loaded{static_cast<unsigned short>(program.size()), program.data()};
  require_done(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &loaded, 0, 0), "set the filter of system calls");
}

void limit(__rlimit_resource resource, std::uint64_t most) {
  const rlimit limits{most, most};
  require_done(setrlimit(resource, &limits), "set a limit of resources");
}

#if defined(__has_feature)
#define HILGATE_HAS_FEATURE(name) __has_feature(name)
#else
#define HILGATE_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HILGATE_HAS_FEATURE(address_sanitizer) || HILGATE_HAS_FEATURE(thread_sanitizer)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif
#undef HILGATE_HAS_FEATURE

}  // namespace

void confine(std::span<const Capability> keep) {
  drop_capabilities(keep);
  set_filter(refusing_filter());
}

void confine_reader(std::uint64_t memory_bytes, std::chrono::seconds processor) {
  if (!kIsSanitized) {
    limit(RLIMIT_AS, memory_bytes);
  }
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(processor.count()));
  limit(RLIMIT_CORE, 0);
  drop_capabilities({});
  set_filter(reader_filter());
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
