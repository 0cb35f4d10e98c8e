// SPDX-License-Identifier: Apache-2.0
#include "gateway/pcapng/capture_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "gateway/pcapng/pcapng.h"

namespace hilgate {
namespace {

constexpr std::size_t kBuffer = std::size_t{64} << 10;

std::filesystem::path numbered(const std::filesystem::path& file, std::uint64_t number) {
  return file.parent_path() / fmt::format("{}_{:05}{}", file.stem().string(), number, file.extension().string());
}

}  // namespace

void PcapngSplitter::add(std::string_view bytes, const std::function<void(std::string_view)>& each) {
  waiting_.append(bytes);
  std::size_t at = 0;
  while (waiting_.size() - at >= kPcapngHead) {
    const auto head = pcapng_head({waiting_.data() + at, kPcapngHead});
    if (!head || head->length > kLongestBlock) {
      throw std::runtime_error("what the gateway sends is no pcapng");
    }
    if (waiting_.size() - at < head->length) {
      break;
    }
    each(std::string_view(waiting_).substr(at, head->length));
    at += head->length;
  }
  waiting_.erase(0, at);
}

CaptureFiles::CaptureFiles(CaptureFilesConfig config) : config_(std::move(config)) {
  open_next();
}

void CaptureFiles::open_next() {
  if (config_.file == "-") {
    out_ = FileDescriptor(checked(::dup(STDOUT_FILENO), "standard output"));
    files_.push_back(config_.file);
    return;
  }
  const std::filesystem::path file = config_.ring_bytes > 0 ? numbered(config_.file, ++number_) : config_.file;
  out_ = FileDescriptor(
      checked(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640), file.string()));
  files_.push_back(file);
  if (config_.ring_files > 0 && files_.size() > config_.ring_files) {
    std::error_code gone;  // somebody may have moved it
    std::filesystem::remove(files_.front(), gone);
    files_.pop_front();
  }
  file_bytes_ = 0;
}

void CaptureFiles::write(std::string_view block) {
  const bool ring = config_.ring_bytes > 0;
  const auto head = pcapng_head({block.data(), block.size()});
  const auto type = head ? static_cast<PcapngBlock>(head->type) : PcapngBlock::kPacket;
  const bool opens = type == PcapngBlock::kSection || type == PcapngBlock::kInterface;
  if (ring && !opens && file_bytes_ > preamble_.size() && file_bytes_ + block.size() > config_.ring_bytes) {
    flush();
    open_next();
    buffer_ = preamble_;
    file_bytes_ = preamble_.size();
  }
  if (ring && opens) {
    preamble_.append(block);
  }
  buffer_.append(block);
  file_bytes_ += block.size();
  bytes_ += block.size();
  if (buffer_.size() >= kBuffer) {
    flush();
  }
}

void CaptureFiles::flush() {
  for (std::string_view left = buffer_; !left.empty();) {
    const ssize_t written = ::write(out_.get(), left.data(), left.size());
    if (written < 0 && errno != EINTR) {
      const int error = errno;
      buffer_.clear();
      throw std::system_error(error, std::generic_category(), file().string());
    }
    left.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  buffer_.clear();
}

}  // namespace hilgate
