// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/pcapng/capture_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "clock/host_now.h"
#include "gateway/record/pcapng/pcapng.h"
#include "host/shared_files.h"

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
  const std::filesystem::path file = is_ring() ? numbered(config_.file, ++number_) : config_.file;
  out_ = FileDescriptor(checked(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640), file.string()));
  if (config_.for_group) {
    share_with_group(out_.get());
  }
  files_.push_back(file);
  if (config_.ring_files > 0 && files_.size() > config_.ring_files) {
    std::error_code gone;  // the file may have been moved
    std::filesystem::remove(files_.front(), gone);
    files_.pop_front();
  }
  file_bytes_ = 0;
  opened_ = host_now();
}

bool CaptureFiles::is_full(std::size_t more) const {
  return file_bytes_ > preamble_.size() &&
         ((config_.ring_bytes > 0 && file_bytes_ + more > config_.ring_bytes) ||
          (config_.ring_time.count() > 0 && host_now() - opened_ > config_.ring_time));
}

void CaptureFiles::write(std::string_view block) {
  const bool ring = is_ring();
  const auto head = pcapng_head({block.data(), block.size()});
  const auto type = head ? static_cast<PcapngBlock>(head->type) : PcapngBlock::kPacket;
  const bool opens = type == PcapngBlock::kSection || type == PcapngBlock::kInterface;
  if (ring && !opens && is_full(block.size())) {
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
      end_at_block(buffer_.size() - left.size());
      throw std::system_error(error, std::generic_category(), file().string());
    }
    left.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  buffer_.clear();
}

// Of the buffer so much is written. What is no file keeps what it has.
void CaptureFiles::end_at_block(std::size_t written) {
  std::size_t whole = 0;
  while (whole + kPcapngHead <= written) {
    const auto head = pcapng_head({buffer_.data() + whole, kPcapngHead});
    if (!head || whole + head->length > written) {
      break;
    }
    whole += head->length;
  }
  file_bytes_ -= buffer_.size() - whole;
  bytes_ -= buffer_.size() - whole;
  buffer_.clear();
  if (::ftruncate(out_.get(), static_cast<off_t>(file_bytes_)) != 0) {
    return;
  }
}

}  // namespace hilgate
