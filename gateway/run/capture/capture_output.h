// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "gateway/record/pcapng/capture_files.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// Where the blocks of a capture go.
class CaptureOutput {
 public:
  virtual ~CaptureOutput() = default;
  CaptureOutput() = default;
  CaptureOutput(const CaptureOutput&) = delete;
  CaptureOutput& operator=(const CaptureOutput&) = delete;

  /// Takes over one or more whole blocks. False, and nothing taken: it cannot keep up.
  virtual bool take(std::string_view blocks) = 0;
  /// The same for blocks without which others mean nothing: those are always taken.
  virtual void take_always(std::string_view blocks) = 0;
  /// Writes what it can without waiting for a reader; false when nothing more can be written, ever.
  virtual bool flush() = 0;
  /// Something is still to be written.
  [[nodiscard]] virtual bool pending() const = 0;
  /// The client has requested the end of the capture.
  [[nodiscard]] virtual bool asked_to_end() = 0;
};

/// A client at a local stream socket, who shuts down its writing side to end the capture. It gets all of a block or
/// nothing of it, as long as it reads; a slow client misses blocks.
class CaptureStream : public CaptureOutput {
 public:
  static constexpr std::size_t kMost = std::size_t{4} << 20;  // bytes that wait for the client

  /// `seat`: kept as long as this.
  CaptureStream(FileDescriptor socket, std::shared_ptr<void> seat);

  bool take(std::string_view blocks) override;
  void take_always(std::string_view blocks) override;
  bool flush() override;
  [[nodiscard]] bool pending() const override { return sent_ < waiting_.size(); }
  [[nodiscard]] bool asked_to_end() override;

 private:
  std::shared_ptr<void> seat_;
  FileDescriptor socket_;
  std::string waiting_;
  std::size_t sent_ = 0;  // of these
};

/// Files of the gateway's own. A disk that takes no more ends the capture.
class CaptureRecord : public CaptureOutput {
 public:
  /// What is shown of it; any thread.
  struct State {
    std::mutex mutex;
    std::string file;  // by the mutex, as what follows
    std::uint64_t bytes = 0;
    std::string problem;  // why it has ended
  };

  /// Throws std::system_error when the first file cannot be written.
  CaptureRecord(const CaptureFilesConfig& config, std::shared_ptr<State> state);

  bool take(std::string_view blocks) override;
  void take_always(std::string_view blocks) override { take(blocks); }
  bool flush() override;
  [[nodiscard]] bool pending() const override { return false; }
  [[nodiscard]] bool asked_to_end() override { return false; }

 private:
  template <class Do>
  bool try_to(Do what);

  CaptureFiles files_;
  PcapngSplitter splitter_;
  std::shared_ptr<State> state_;
  bool failed_ = false;
};

}  // namespace hilgate
