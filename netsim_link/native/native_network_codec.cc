// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/native/native_network_codec.h"

#include <algorithm>

#include <fmt/format.h>

namespace hilgate {
namespace {

// What a verdict asks for must be a probability; 1 means that it is lost.
MaybeFault check_rates(std::vector<Verdict>& verdicts) {
  MaybeFault fault;
  for (Verdict& verdict : verdicts) {
    const bool lost = !(verdict.ber >= 0 && verdict.ber < 1);
    if (lost && verdict.ber != 1 && !fault) {
      fault = ProtocolFault{
          ProtocolError::kBadValue,
          fmt::format("bit error rate of {} for packet {}; the packet is dropped", verdict.ber, verdict.packet)};
    }
    if (lost) {
      verdict.ber = 0;
      verdict.drop = AirDrop::kBitErrors;
    }
  }
  return fault;
}

}  // namespace

void NativeNetworkCodec::encode_begin(const NetworkQuestion& question, std::string& body) {
  step_ = question.step;
  native::encode(native::NetworkBegin{.window = step_.number, .start = step_.from, .length = step_.length},
                 question.fresh ? question.scene : nullptr, question.packets, body);
}

MaybeFault NativeNetworkCodec::decode_end(std::string_view body, NetworkAnswer& answer) {
  answer.payload.bytes.clear();
  answer.has_links = false;
  answer.verdicts.clear();
  answer.forget.clear();
  MaybeFault fault = native::decode(body, options_.hello.robots.size(), end_);
  if (fault && !is_soft(fault->error)) {
    return fault;
  }
  if (MaybeFault other = native::check_window(end_.window, step_)) {
    return other;
  }
  std::swap(answer.verdicts, end_.verdicts);
  std::swap(answer.forget, end_.forget);
  apply_links(answer);
  MaybeFault rates = check_rates(answer.verdicts);
  return fault ? fault : rates;
}

void NativeNetworkCodec::apply_links(NetworkAnswer& answer) {
  if (end_.links.empty()) {
    return;
  }
  const std::size_t robots = options_.hello.robots.size();
  links_.resize(robots * robots);
  for (const native::LinkUpdate& link : end_.links) {
    links_[link_of(link.sender, link.receiver, robots).value()] = link.state;
  }
  answer.has_links = true;
  answer.links.window = step_.window;
  answer.links.at = step_.end();
  answer.links.links = links_;
}

MaybeFault NativeNetworkCodec::decode_begin(std::string_view body, ReceivedNetworkQuestion& question) {
  native::NetworkBegin begin;
  bool has_scene = false;
  MaybeFault fault = native::decode(body, theirs_.robots.size(), begin, has_scene, question.scene, question.packets);
  question.step = {.window = begin.window, .number = begin.window, .from = begin.start, .length = begin.length};
  question.has_scene = question.has_scene || has_scene;
  question.fresh = has_scene;
  step_ = question.step;
  return fault;
}

void NativeNetworkCodec::encode_end(const NetworkAnswer& answer, std::string& body) {
  end_.window = step_.number;
  end_.verdicts = answer.verdicts;
  end_.forget = answer.forget;
  end_.links.clear();
  if (answer.has_links) {
    const std::size_t robots = theirs_.robots.size();
    for (std::uint32_t i = 0; i < std::min(answer.links.links.size(), robots * robots); ++i) {
      const auto sender = RobotIndex{static_cast<std::uint32_t>(i / robots)};
      const auto receiver = RobotIndex{static_cast<std::uint32_t>(i % robots)};
      if (sender != receiver) {
        end_.links.push_back({.sender = sender, .receiver = receiver, .state = answer.links.links[i]});
      }
    }
  }
  native::encode(end_, body);
}

}  // namespace hilgate
