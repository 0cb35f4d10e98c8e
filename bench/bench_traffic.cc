// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_traffic.h"

#include <net/ethernet.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "bench/bench_frames.h"
#include "bench/bench_stream.h"

namespace hilgate {
namespace {

using std::chrono::steady_clock;

constexpr auto kFirstAnswerPatience = std::chrono::seconds(10);
constexpr std::chrono::milliseconds kPatience{100};

bool wait_for_frame(const FileDescriptor& socket) {
  pollfd ready{socket.get(), POLLIN, 0};
  return ::poll(&ready, 1, static_cast<int>(kPatience.count())) == 1;
}

// Robot 1: sends back what it receives.
void echo(const FileDescriptor& socket, const std::stop_token& stop) {
  BenchFrame heard{};
  BenchFrame answer = bench_frame(1);
  while (!stop.stop_requested()) {
    if (!wait_for_frame(socket)) {
      continue;
    }
    const ssize_t length = ::recv(socket.get(), heard.data(), heard.size(), MSG_DONTWAIT);
    if (length >= static_cast<ssize_t>(kSmallestFrame)) {
      std::memcpy(answer.data() + ETH_HLEN, heard.data() + ETH_HLEN, sizeof(std::uint64_t));
      ::send(socket.get(), answer.data(), kSmallestFrame, 0);
    }
  }
}

// Waits for the answer to `number`; those to earlier ones came too late.
bool hear_answer(const FileDescriptor& socket, std::uint64_t number) {
  BenchFrame heard{};
  while (wait_for_frame(socket)) {
    const ssize_t length = ::recv(socket.get(), heard.data(), heard.size(), MSG_DONTWAIT);
    std::uint64_t answered = 0;
    std::memcpy(&answered, heard.data() + ETH_HLEN, sizeof answered);
    if (length >= static_cast<ssize_t>(kSmallestFrame) && answered == number) {
      return true;
    }
  }
  return false;
}

}  // namespace

Flood flood(const BenchNetwork& network, std::size_t frame_bytes, Nanoseconds duration) {
  const Stream stream = run_stream(network, {.sizes = {frame_bytes}, .duration = duration});
  return {stream.offered(), static_cast<double>(stream.arrived) / stream.seconds};
}

std::vector<Nanoseconds> ping(const BenchNetwork& network, Nanoseconds duration) {
  const FileDescriptor near = open_bench_socket(network, 0, kBenchEthertype);
  const FileDescriptor far = open_bench_socket(network, 1, kBenchEthertype);
  const std::jthread echoing([&far](const std::stop_token& stop) { echo(far, stop); });
  std::vector<Nanoseconds> trips;
  BenchFrame frame = bench_frame(0);
  const auto start = steady_clock::now();
  // A busy machine may let none through in a short time: at least one is waited for.
  const auto goes_on = [&] {
    const auto passed = steady_clock::now() - start;
    return passed < duration || (trips.empty() && passed < duration + kFirstAnswerPatience);
  };
  for (std::uint64_t number = 1; goes_on(); ++number) {
    std::memcpy(frame.data() + ETH_HLEN, &number, sizeof number);
    const auto sent = steady_clock::now();
    check_traffic(::send(near.get(), frame.data(), kSmallestFrame, 0) == static_cast<ssize_t>(kSmallestFrame), "send");
    if (hear_answer(near, number)) {
      trips.push_back(steady_clock::now() - sent);
    }
  }
  return trips;
}

Nanoseconds quantile(std::vector<Nanoseconds> values, double q) {
  if (values.empty()) {
    throw std::runtime_error("bench traffic: no frame came back");
  }
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace hilgate
