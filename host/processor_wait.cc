// SPDX-License-Identifier: Apache-2.0
#include "host/processor_wait.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hilgate {

ProcessorWait::ProcessorWait() : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

// "time on a processor, time waiting for one, time slices", in ns.
std::chrono::nanoseconds ProcessorWait::total() const {
  std::array<char, 96> buffer{};
  const ssize_t size = ::pread(file_.get(), buffer.data(), buffer.size(), 0);
  const std::string_view text(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t second = text.find(' ');
  std::int64_t waited = 0;
  if (second != std::string_view::npos) {
    std::from_chars(text.data() + second + 1, text.data() + text.size(), waited);
  }
  return std::chrono::nanoseconds{waited};
}

}  // namespace hilgate
