// SPDX-License-Identifier: Apache-2.0
// LineServer and its peers, who connect, write pieces of lines, and go, as the input says: every whole line is taken
// once and as it was written, whoever wrote it, and who writes a line without end is sent away.
#include <sys/socket.h>

#include <array>
#include <asio/io_context.hpp>
#include <deque>

#include "physics_link/feeds/feed_sockets.h"
#include "tests/fuzz/fuzz_peer.h"

namespace hilgate::test {
namespace {

constexpr std::size_t kLongestLine = 64 * 1024;
constexpr std::size_t kPiece = 4096;  // that the server reads at once

class Lines {
 public:
  Lines() : server_(io_, path(), [this](std::string_view line) { take(line); }) {}
  ~Lines() {
    for (Writer& writer : writers_) {
      writer.peer.close();
    }
    settle(io_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  void connect(std::size_t who) {
    Writer& writer = writers_[who];
    if (!writer.peer.connected() && connections_ < kMostConnections) {
      ++connections_;
      writer.peer.connect(path());
      writer.open = {};
      settle(io_);
    }
  }
  void write(std::size_t who, std::string_view text) {
    Writer& writer = writers_[who];
    if (!writer.peer.connected()) {
      return;
    }
    writer.open += text.substr(0, kPiece);
    writer.peer.send(text.substr(0, kPiece));
    std::size_t end = 0;
    while ((end = writer.open.find('\n')) != std::string::npos) {
      expected_.push_back(writer.open.substr(0, end));
      writer.open.erase(0, end + 1);
    }
    settle(io_);
    require(expected_.empty(), "each line that is whole is taken");
    if (writer.open.size() > kLongestLine) {
      require(!writer.peer.alive(), "who writes lines without end is sent away");
      writer.peer.close();
    }
  }
  void leave(std::size_t who) {
    writers_[who].peer.close();
    settle(io_);
  }

 private:
  static constexpr int kMostConnections = 16;  // that are taken without a wait
  struct Writer {
    Peer peer{};
    std::string open{};  // of the line that is being written
  };

  static const std::string& path() {
    static const std::string name = std::filesystem::temp_directory_path() / "lines";
    return name;
  }
  void take(std::string_view line) {
    require(!expected_.empty() && expected_.front() == line, "what is taken is the line that was written");
    expected_.pop_front();
  }

  asio::io_context io_;
  LineServer server_;
  std::array<Writer, 3> writers_{};
  std::deque<std::string> expected_;
  int connections_ = 0;
};

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate::test;
  FuzzInput input(data, size);
  Lines lines;
  while (!input.empty()) {
    const std::uint8_t step = input.byte();
    const std::size_t who = step / 8U % 3;
    switch (step % 8) {
      case 0:
        lines.leave(who);
        break;
      case 1:
        lines.connect(who);
        lines.write(who, std::string(kPiece, 'x'));
        break;
      case 2:
        lines.connect(who);
        lines.write(who, "\n");
        break;
      default:
        lines.connect(who);
        lines.write(who, input.text(step / 4));
    }
  }
  return 0;
}
