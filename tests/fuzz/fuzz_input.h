// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace hilgate::test {

/// What must hold whatever the input is; else it is a finding.
inline void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
  }
}

/// An input that is read from its front; zeros behind its end.
class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    const std::span<const std::uint8_t> taken = take(1);
    return taken.empty() ? std::uint8_t{0} : taken[0];
  }
  /// In [0, below); one byte for up to 256, two for more.
  std::uint32_t number(std::uint32_t below) {
    const std::uint32_t low = byte();
    return (below > 256 ? low + 256U * byte() : low) % below;
  }
  std::span<const std::byte> bytes(std::size_t count) { return std::as_bytes(take(count)); }
  std::string_view text(std::size_t count) {
    const std::span<const std::uint8_t> taken = take(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  std::string_view rest() { return text(rest_.size()); }

 private:
  std::span<const std::uint8_t> take(std::size_t count) {
    const auto taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  std::span<const std::uint8_t> rest_;
};

/// A file in memory for what reads files by their name.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(fd_)) {
    require(fd_ >= 0, "a file in memory can be had");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& with(std::string_view text) {
    require(::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
            "the file in memory can be written");
    return path_;
  }

 private:
  int fd_;
  std::string path_;
};

/// A file in the folder for temporary files, for what goes by endings and folders. run.py removes the folder.
inline std::string scratch_file(const std::string& name, std::string_view text) {
  static const std::filesystem::path folder = std::filesystem::temp_directory_path();
  std::string path = folder / name;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  require(fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
          "temporary files can be written");
  ::close(fd);
  return path;
}

}  // namespace hilgate::test
