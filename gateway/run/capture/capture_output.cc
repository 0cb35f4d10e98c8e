// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/capture/capture_output.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace hilgate {

CaptureStream::CaptureStream(FileDescriptor socket, std::shared_ptr<void> seat)
    : seat_(std::move(seat)), socket_(std::move(socket)) {
  checked(::fcntl(socket_.get(), F_SETFL, O_NONBLOCK), "a capture's socket");
}

bool CaptureStream::take(std::string_view blocks) {
  if (waiting_.size() - sent_ + blocks.size() > kMost) {
    return false;
  }
  take_always(blocks);
  return true;
}

void CaptureStream::take_always(std::string_view blocks) {
  if (sent_ > kMost / 2) {
    waiting_.erase(0, std::exchange(sent_, 0));
  }
  waiting_.append(blocks);
}

bool CaptureStream::flush() {
  while (pending()) {
    const ssize_t written = ::send(socket_.get(), waiting_.data() + sent_, waiting_.size() - sent_, MSG_NOSIGNAL);
    if (written < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    sent_ += static_cast<std::size_t>(written);
  }
  waiting_.clear();
  sent_ = 0;
  return true;
}

bool CaptureStream::asked_to_end() {
  std::array<char, 64> ignored{};
  const ssize_t got = ::recv(socket_.get(), ignored.data(), ignored.size(), MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

CaptureRecord::CaptureRecord(const CaptureFilesConfig& config, std::shared_ptr<State> state)
    : files_(config), state_(std::move(state)) {}

bool CaptureRecord::take(std::string_view blocks) {
  return try_to([&] { splitter_.add(blocks, [this](std::string_view block) { files_.write(block); }); });
}

bool CaptureRecord::flush() {
  const bool done = try_to([this] { files_.flush(); });
  const std::scoped_lock lock(state_->mutex);
  state_->file = files_.file().string();
  state_->bytes = files_.bytes();
  return done;
}

template <class Do>
bool CaptureRecord::try_to(Do what) {
  if (failed_) {
    return false;
  }
  try {
    what();
  } catch (const std::system_error& error) {
    failed_ = true;
    spdlog::error("capture: {}; it has ended, traffic continues", error.what());
    const std::scoped_lock lock(state_->mutex);
    state_->problem = error.what();
  }
  return !failed_;
}

}  // namespace hilgate
