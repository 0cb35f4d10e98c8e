// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "rf_profiles/survey/survey.h"

namespace hilgate {
namespace {

[[noreturn]] void fail(const std::string& file, const char* what) {
  throw std::runtime_error(fmt::format("{}: {}: {}", file, what, std::strerror(errno)));
}

}  // namespace

MappedFile::MappedFile(const std::string& file, std::optional<std::uint64_t> bytes) {
  const int descriptor = open(file.c_str(), (bytes ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    fail(file, "cannot be opened");
  }
  struct stat status {};
  const bool known = fstat(descriptor, &status) == 0;
  size_ = static_cast<std::uint64_t>(status.st_size);
  const bool grow = known && bytes && size_ == 0;
  if (!known || (grow && ftruncate(descriptor, static_cast<off_t>(*bytes)) != 0)) {
    close(descriptor);
    fail(file, "cannot be resized");
  }
  size_ = grow ? *bytes : size_;
  void* const data =
      size_ == 0 ? MAP_FAILED : mmap(nullptr, size_, PROT_READ | (bytes ? PROT_WRITE : 0), MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (data == MAP_FAILED) {
    throw std::runtime_error(fmt::format("{}: cannot map {} bytes", file, size_));
  }
  data_ = static_cast<std::byte*>(data);
}

MappedFile::~MappedFile() {
  munmap(data_, size_);
}

void MappedFile::sync() const {
  if (msync(data_, size_, MS_SYNC) != 0) {
    throw std::runtime_error(fmt::format("the survey could not be written: {}", std::strerror(errno)));
  }
}

}  // namespace hilgate
