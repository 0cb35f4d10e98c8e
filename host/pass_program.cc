// SPDX-License-Identifier: Apache-2.0
#include "host/pass_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "host/file_descriptor.h"

namespace hilgate {

void attach_pass_program(const std::string& interface) {
  // r0 = XDP_PASS; exit
  constexpr std::array<bpf_insn, 2> kPass = {bpf_insn{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, XDP_PASS},
                                             bpf_insn{BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  bpf_prog_load_opts options{};
  options.sz = sizeof(options);
  options.prog_flags = BPF_F_XDP_HAS_FRAGS;  // without it, veth would limit the MTU to one page
  const FileDescriptor program(
      bpf_prog_load(BPF_PROG_TYPE_XDP, "hilgate_pass", "Dual BSD/GPL", kPass.data(), kPass.size(), &options));
  if (!program.valid()) {
    throw std::runtime_error(fmt::format("cannot load the XDP pass program: {}", std::strerror(errno)));
  }
  const auto index = static_cast<int>(if_nametoindex(interface.c_str()));
  const int error = bpf_xdp_attach(index, program.get(), XDP_FLAGS_DRV_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST, nullptr);
  if (error != 0) {
    throw std::runtime_error(
        fmt::format("interface {}: cannot attach an XDP program: {}", interface, std::strerror(-error)));
  }
}

}  // namespace hilgate
