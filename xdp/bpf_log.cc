// SPDX-License-Identifier: Apache-2.0
#include "xdp/bpf_log.h"

#include <bpf/libbpf.h>

#include <array>
#include <cstdarg>
#include <cstdio>

namespace hilgate {
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
