// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/peers/hostile_simulator.h"

#include <chrono>
#include <utility>

namespace hilgate::test {

using namespace std::chrono_literals;

std::string framed(std::string_view body) {
  std::string bytes;
  append_frame(body, bytes);
  return bytes;
}

std::string framed(const wire::native::Message& message) {
  return framed(message.SerializeAsString());
}

std::string hello_of(native::Role role) {
  std::string body;
  native::encode(native::Hello{.role = role, .name = "mallory"}, body);
  return framed(body);
}

std::string end_of(std::uint64_t window) {
  std::string body;
  native::encode_physics_end(window, nullptr, body);
  return framed(body);
}

HostileSimulator::HostileSimulator(const NetNs& where, std::string address, Ways ways)
    : where_(where), address_(std::move(address)), ways_(std::move(ways)), thread_([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          StreamPeer peer(where_, address_);
          if (peer.is_open()) {
            ++connections_;
            talk(stop, peer);
          } else {
            std::this_thread::sleep_for(2ms);
          }
        }
      }) {}

void HostileSimulator::talk(const std::stop_token& stop, StreamPeer& peer) {
  if (!ways_.greeting.empty() && !peer.send(ways_.greeting)) {
    return;
  }
  ways_.connected(peer);
  while (!stop.stop_requested() && peer.is_open()) {
    if (!ways_.reads) {
      std::this_thread::sleep_for(20ms);
      if (peer.is_sent_away()) {
        return;
      }
      continue;
    }
    const auto body = peer.frame(20ms);
    wire::native::Message message;
    if (body && message.ParseFromString(*body) && message.has_begin()) {
      ++questions_;
      ways_.answer(peer, message.begin());
    }
  }
}

}  // namespace hilgate::test
