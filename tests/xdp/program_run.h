// SPDX-License-Identifier: Apache-2.0
// The XDP program by itself: BPF_PROG_TEST_RUN of bpf(2).
#pragma once

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hilgate::test {

struct ProgramRun {
  std::uint32_t verdict = 0;     // XDP_PASS, XDP_REDIRECT, ...
  std::size_t metadata = 0;      // bytes of it, which begin `out`
  std::vector<std::byte> out{};  // metadata and frame as the program leaves them
};

/// A frame put to a loaded program. Nothing, with errno, when the kernel refuses.
inline std::optional<ProgramRun> run_program(int program, std::span<const std::byte> frame) {
  ProgramRun run;
  run.out.resize(frame.size() + 256);
  xdp_md before{};
  before.data_end = static_cast<__u32>(frame.size());
  xdp_md after{};
  bpf_test_run_opts options{};
  options.sz = sizeof options;
  options.data_in = frame.data();
  options.data_size_in = static_cast<__u32>(frame.size());
  options.data_out = run.out.data();
  options.data_size_out = static_cast<__u32>(run.out.size());
  options.ctx_in = &before;
  options.ctx_size_in = sizeof before;
  options.ctx_out = &after;
  options.ctx_size_out = sizeof after;
  if (bpf_prog_test_run_opts(program, &options) != 0) {
    return std::nullopt;
  }
  run.verdict = options.retval;
  run.metadata = after.data - after.data_meta;
  run.out.resize(options.data_size_out);
  return run;
}

}  // namespace hilgate::test
