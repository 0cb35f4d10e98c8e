// SPDX-License-Identifier: Apache-2.0
// Messages of libbpf, kept for error messages instead of printed.
#pragma once

#include <string>

namespace hilgate {

/// Collects the calling thread's libbpf warnings while it lives. One at a time per thread. Afterwards and in
/// other threads libbpf is silent.
class BpfLog {
 public:
  BpfLog();
  ~BpfLog();
  BpfLog(const BpfLog&) = delete;
  BpfLog& operator=(const BpfLog&) = delete;

  /// The last messages, 4 KiB at most.
  [[nodiscard]] std::string text() const;

 private:
  std::string text_;
};

}  // namespace hilgate
