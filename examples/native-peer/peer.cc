// SPDX-License-Identifier: Apache-2.0
// A minimal network simulator for hilgate's native protocol: every packet arrives 5 ms later, 1 in 10 is lost.
// Needs nothing of hilgate but native.proto; the protocol is described in docs/reference/native-protocol.md.
//
//   protoc --proto_path=../.. --cpp_out=. physics_link/native/native.proto
//   g++ -std=c++17 -I. peer.cc physics_link/native/native.pb.cc -lprotobuf-lite -o peer && ./peer
//   /run/hilgate/native/netsim.sock
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>

#include "physics_link/native/native.pb.h"

namespace native = hilgate::wire::native;

namespace {

constexpr std::int64_t kDelayNs = 5'000'000;
constexpr double kLoss = 0.1;

int connect_to(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error(std::string("cannot connect to ") + path);
  }
  return fd;
}

void send_message(int fd, const native::Message& message) {
  const std::string body = message.SerializeAsString();
  const std::uint32_t length = htonl(static_cast<std::uint32_t>(body.size()));
  std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
  frame += body;
  for (std::size_t sent = 0; sent < frame.size();) {
    const ssize_t n = write(fd, frame.data() + sent, frame.size() - sent);
    if (n <= 0) {
      throw std::runtime_error("the gateway closed the connection");
    }
    sent += static_cast<std::size_t>(n);
  }
}

std::string read_exactly(int fd, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t have = 0; have < size;) {
    const ssize_t n = read(fd, bytes.data() + have, size - have);
    if (n <= 0) {
      throw std::runtime_error("the gateway closed the connection");
    }
    have += static_cast<std::size_t>(n);
  }
  return bytes;
}

native::Message receive(int fd) {
  std::uint32_t length = 0;
  std::memcpy(&length, read_exactly(fd, sizeof length).data(), sizeof length);
  native::Message message;
  if (!message.ParseFromString(read_exactly(fd, ntohl(length)))) {
    throw std::runtime_error("invalid message");
  }
  return message;
}

void decide(const native::Packet& packet, std::uint32_t receiver, std::mt19937_64& dice, native::End& end) {
  auto& verdict = *end.add_verdicts();
  verdict.set_id(packet.id());
  verdict.set_receiver(receiver);
  verdict.set_release_ns(packet.captured_ns() + kDelayNs);
  if (std::uniform_real_distribution<>()(dice) < kLoss) {
    verdict.set_drop(native::Verdict::OUT_OF_RANGE);
  }
}

native::Message answer(const native::Begin& begin, std::uint32_t robots, std::mt19937_64& dice) {
  native::Message message;
  auto& end = *message.mutable_end();
  end.set_window(begin.window());
  for (const auto& packet : begin.packets()) {
    for (std::uint32_t robot = 0; robot < robots; ++robot) {
      const bool hears =
          packet.receiver() < 0 ? robot != packet.sender() : robot == static_cast<std::uint32_t>(packet.receiver());
      if (hears) {
        decide(packet, robot, dice, end);
      }
    }
    end.add_forget(packet.id());
  }
  return message;
}

void converse(int fd) {
  native::Message hello;
  hello.mutable_hello()->set_version(1);
  hello.mutable_hello()->set_role(native::Hello::NETWORK);
  hello.mutable_hello()->set_name("peer.cc");
  send_message(fd, hello);
  std::uint32_t robots = 0;
  std::mt19937_64 dice(1);
  while (true) {
    const native::Message message = receive(fd);
    if (message.has_hello()) {
      robots = static_cast<std::uint32_t>(message.hello().robots_size());
      std::printf("%u robots\n", robots);
    } else if (message.has_begin()) {
      send_message(fd, answer(message.begin(), robots, dice));
    } else if (message.has_close()) {
      std::printf("closed: %s\n", message.close().why().c_str());
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int fd = connect_to(argc > 1 ? argv[1] : "/run/hilgate/native/netsim.sock");
    converse(fd);
    close(fd);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
