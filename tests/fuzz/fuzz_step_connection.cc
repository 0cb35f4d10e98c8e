// SPDX-License-Identifier: Apache-2.0
// StepConnection against a peer that connects, answers, talks nonsense, and goes, as the input says: each question ends
// once, with an answer only if one came to it, and is put again to whoever comes next.
#include <asio/io_context.hpp>
#include <optional>

#include "physics_link/connection/step_connection.h"
#include "tests/fuzz/fuzz_peer.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLongestFrame = 4096;
constexpr int kMostConnections = 16;  // that are taken without a wait

class Conversation {
 public:
  explicit Conversation(bool greets) : greets_(greets) {
    const StepLinkOptions options{.link = {.name = "physics",
                                           .endpoint = Endpoint::parse("unix:" + path()),
                                           .role = ConnectionRole::kListen,
                                           .frame_limit = kLongestFrame},
                                  .policy = TroublePolicy::kResynchronise,
                                  .answer_timeout = 1h,
                                  .greeting_timeout = 1h};
    link_.emplace(
        io_, options, nullptr,
        StepConnection::Handlers{.opened = [this] { opened(); },
                                 .control = [this](std::string_view body) { return control(body); },
                                 .answer = [this](std::string_view body) { return judge(body); },
                                 .ended = [this](bool answered) { ended(answered); },
                                 .failed = [](const std::string&) { require(false, "no peer ends the run"); }});
    link_->open();
    settle(io_);
  }
  ~Conversation() {
    peer_.close();
    settle(io_);
    link_->close();
    settle(io_);
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void connect() {
    if (!peer_.connected() && connections_ < kMostConnections) {
      ++connections_;
      peer_.connect(path());
      in_step_ = true;
      heard_.clear();
      settle(io_);
      hear();
      require(!(asking_ && link_->is_ready()) || questions_ > 0, "who comes gets the question that is under way");
    }
  }
  void leave() {
    peer_.close();
    settle(io_);
    require(!link_->is_ready(), "nobody is there");
  }
  void ask() {
    if (asking_) {
      return;
    }
    asking_ = true;
    questions_ = 0;
    link_->ask("question " + std::to_string(++asked_));
    settle(io_);
    hear();
    require(!peer_.connected() || !link_->is_ready() || questions_ == 1, "a question is put once");
  }
  /// A whole frame, of which the first byte says what it is.
  void say(std::string_view body) {
    if (!peer_.connected()) {
      return;
    }
    std::string frame;
    append_frame(body, frame);
    const bool counts = in_step_ && asking_ && link_->is_ready();
    peer_.send(frame);
    settle(io_);
    hear();
    const char kind = body.empty() ? '?' : body[0];
    if (counts && kind != 'h' && kind != 's') {
      require(!asking_, "what is an answer, or spoils it, ends the question");
      require(answered_ == (kind == 'g' || kind == 'o'), "with an answer only if one came");
    } else if (counts && kind == 's') {
      require(asking_, "an answer to another question leaves this one open");
    }
  }
  /// Any bytes: from here on nobody knows where frames begin.
  void babble(std::string_view bytes) {
    if (peer_.connected() && !bytes.empty()) {
      in_step_ = false;
      peer_.send(bytes);
      settle(io_);
      if (!peer_.alive()) {
        peer_.close();
      }
    }
  }

 private:
  static const std::string& path() {
    static const std::string name = std::filesystem::temp_directory_path() / "step";
    return name;
  }
  void opened() {
    if (!greets_) {
      link_->ready();
    }
  }
  bool control(std::string_view body) {
    if (!body.empty() && body[0] == 'h' && !link_->is_ready()) {
      link_->ready();
    }
    return !body.empty() && body[0] == 'h';
  }
  MaybeFault judge(std::string_view body) const {
    require(asking_, "an answer is to a question");
    switch (body.empty() ? '?' : body[0]) {
      case 'g':
        return std::nullopt;
      case 'o':
        return ProtocolFault{ProtocolError::kUnequalArrays, "odd"};
      case 's':
        return ProtocolFault{ProtocolError::kUnexpected, "stale"};
      default:
        return ProtocolFault{ProtocolError::kBadMessage, "nonsense"};
    }
  }
  void ended(bool answered) {
    require(asking_, "a question ends once");
    require(!link_->asking(), "who is told that it ended may ask again");
    asking_ = false;
    answered_ = answered;
  }
  // The questions that the peer has got.
  void hear() {
    if (!peer_.connected()) {
      return;
    }
    heard_ += peer_.receive();
    const std::string question = "question " + std::to_string(asked_);
    std::string frame;
    append_frame(question, frame);
    for (std::size_t at = 0; (at = heard_.find(frame, at)) != std::string::npos; at += frame.size()) {
      ++questions_;
    }
    heard_.clear();
  }

  bool greets_;
  asio::io_context io_;
  std::optional<StepConnection> link_;
  Peer peer_;
  std::string heard_;
  int connections_ = 0;
  int asked_ = 0;
  int questions_ = 0;    // of the one that is under way, that the peer got
  bool asking_ = false;  // as those who ask know it
  bool answered_ = false;
  bool in_step_ = true;
};

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate::test;
  FuzzInput input(data, size);
  Conversation conversation((input.byte() & 1) != 0);
  for (int steps = 0; !input.empty() && steps < 200; ++steps) {
    const std::uint8_t step = input.byte();
    switch (step % 8) {
      case 0:
        conversation.leave();
        break;
      case 1:
      case 2:
        conversation.connect();
        break;
      case 3:
      case 4:
        conversation.ask();
        break;
      case 5:
        conversation.babble(input.text(step / 8U));
        break;
      default: {
        constexpr std::string_view kKinds = "ghosx";
        conversation.say(kKinds[step / 8U % kKinds.size()] + std::string(input.text(step % 3U)));
      }
    }
  }
  return 0;
}
