// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/peers/hostile_simulator.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "physics_link/connection/endpoint.h"

namespace hilgate::test {
namespace {

std::optional<HostileSimulator::Begin> question_in(const std::string& body) {
  wire::native::Message message;
  return message.ParseFromString(body) && message.has_begin() ? std::make_optional(message.begin()) : std::nullopt;
}

}  // namespace

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
    : where_(where),
      address_(std::move(address)),
      ways_(std::move(ways)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void HostileSimulator::run(const std::stop_token& stop) {
  const std::string path = Endpoint::parse(address_).path;
  std::optional<StreamListener> listener;
  if (ways_.listens) {
    std::filesystem::remove(path);  // of the simulator before
    listener.emplace(path);
  }
  while (!stop.stop_requested()) {
    const int taken = listener ? listener->take(20ms) : -1;
    const auto peer = listener ? std::make_unique<StreamPeer>(taken) : std::make_unique<StreamPeer>(where_, address_);
    if (peer->is_open()) {
      ++connections_;
      talk(stop, *peer);
    } else if (!listener) {
      std::this_thread::sleep_for(2ms);
    }
  }
}

void HostileSimulator::talk(const std::stop_token& stop, StreamPeer& peer) {
  if (!ways_.greeting.empty() && !peer.send(ways_.greeting)) {
    return;
  }
  ways_.connected(peer);
  while (!stop.stop_requested() && peer.is_open()) {
    const auto body = peer.frame(20ms);
    if (const auto begin = body ? question_in(*body) : std::nullopt) {
      ++questions_;
      ways_.answer(peer, *begin);
    }
  }
}

}  // namespace hilgate::test
