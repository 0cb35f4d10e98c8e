// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "frame/port_config.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// A terminal of raw bytes, 8N1, that never waits. Used by one thread.
class Tty {
 public:
  /// A pseudo-terminal of its own, with a symbolic link at `link` to the end that a program opens, for the owner and
  /// the group of the gateway's service. Goes with the object. Throws std::runtime_error.
  static Tty pseudo(const std::filesystem::path& link);
  /// A serial device, which look() opens.
  Tty(std::filesystem::path device, std::uint32_t baud, SerialFlow flow);
  ~Tty();
  Tty(Tty&& other) noexcept;
  Tty& operator=(Tty&&) = delete;
  Tty(const Tty&) = delete;
  Tty& operator=(const Tty&) = delete;

  /// Checks whether the other end is open, and opens a device that is not open.
  void look();
  /// Bytes get through.
  [[nodiscard]] bool open() const { return open_; }
  /// Why they do not.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] bool is_pseudo() const { return pseudo_; }
  /// There is something to read, or the other end has closed.
  [[nodiscard]] bool readable() const;

  /// How many bytes came or went: 0 when none can now. Not open() any more when the other end has closed.
  std::size_t read(std::span<std::byte> bytes);
  std::size_t write(std::span<const std::byte> bytes);
  /// To wait for bytes on; of an open one.
  [[nodiscard]] int fd() const { return file_.get(); }
  /// Discards bytes that the kernel has taken and that were not read, and the settings of a pseudo-terminal: it is raw
  /// for the next opener.
  void forget_other_end();

 private:
  Tty() = default;
  void open_device();
  void make_again();
  void close(const std::string& problem);

  std::filesystem::path path_;  // of the link or the device
  std::string target_;          // of the link
  bool pseudo_ = false;
  std::uint32_t baud_ = 0;
  SerialFlow flow_ = SerialFlow::kNone;
  FileDescriptor file_;
  bool open_ = false;
  std::string problem_;
};

}  // namespace hilgate
