// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct bpf_insn;

namespace hilgate {

/// Which frames a rule is about, in libpcap's language (pcap-filter(7)) for Ethernet: "udp port 14550". Does not change
/// after construction; used by any number of threads.
class FlowFilter {
 public:
  /// Compiles `text`. Throws std::invalid_argument with libpcap's message when it is no filter; names of hosts and
  /// services in it are looked up now.
  explicit FlowFilter(std::string text);

  /// Whether the frame matches: `head` its first bytes from the Ethernet header on, `length` all of them. Bytes that
  /// are not in `head` match nothing. Allocates nothing.
  [[nodiscard]] bool matches(std::span<const std::byte> head, std::uint32_t length) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::shared_ptr<const std::vector<bpf_insn>> program_;
};

}  // namespace hilgate
