// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "host/file_descriptor.h"

namespace hilgate {

/// For how long a thread could have run, and had no processor: the kernel's account, /proc/thread-self/schedstat of
/// proc(5). To be made and asked on that thread; an answer costs about 1 us.
class ProcessorWait {
 public:
  ProcessorWait();

  /// Since the thread began. 0 where the kernel keeps no such account.
  [[nodiscard]] std::chrono::nanoseconds total() const;

 private:
  FileDescriptor file_;
};

}  // namespace hilgate
