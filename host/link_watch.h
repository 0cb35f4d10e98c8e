// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/file_descriptor.h"

namespace hilgate {

/// A network interface of which something changed: it appeared, went, is up, down, renamed, or has another address.
struct LinkChange {
  unsigned index = 0;
  std::string name{};  // as it is after the change; empty for a change of its IP addresses
};

struct LinkChanges {
  bool unknown = false;  // more happened than the kernel could tell: anything may have changed
  std::vector<LinkChange> links{};

  [[nodiscard]] bool concern(unsigned index, const std::string& name) const;
  [[nodiscard]] bool empty() const { return !unknown && links.empty(); }
};

/// Word of changes to the interfaces of the network namespace that it was made in (rtnetlink(7)). One thread.
class LinkWatch {
 public:
  /// Throws std::system_error.
  LinkWatch();

  /// Readable when there is word.
  [[nodiscard]] int fd() const { return socket_.get(); }
  /// What is there, without waiting.
  LinkChanges read();

 private:
  FileDescriptor socket_;
};

}  // namespace hilgate
