// SPDX-License-Identifier: Apache-2.0
// hilgate-site: DDS between the gateways of a site, in a process of its own. Each gateway starts its own.
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gateway/site/bus/bus_domain.h"
#include "gateway/site/bus_settings.h"
#include "host/confinement.h"
#include "host/log/log.h"

namespace hilgate::bus {
namespace {

constexpr int kLookMilliseconds = 200;  // until a signal to end is noticed

std::atomic<bool> told_to_end = false;

void hand_over(int socket, BusKind kind, std::string_view gateway, std::string_view text) {
  const std::string message = fmt::format("{}{}\n{}", static_cast<char>(kind), gateway, text);
  if (message.size() <= kMostBusBytes) {
    static_cast<void>(::send(socket, message.data(), message.size(), MSG_NOSIGNAL));  // a gateway that hangs: it waits
  }
}

// From the network to the gateway.
void listen(int socket, dds_entity_t participant, std::span<BusTopic* const> topics) {
  const dds_entity_t waits = made(dds_create_waitset(participant), "waiting");
  for (const BusTopic* topic : topics) {
    const dds_entity_t any = made(dds_create_readcondition(topic->reader(), DDS_ANY_STATE), "a condition");
    made(dds_waitset_attach(waits, any, 0), "a condition");
  }
  const auto take = [socket](BusKind kind, std::string_view gateway, std::string_view text) {
    hand_over(socket, kind, gateway, text);
  };
  while (!told_to_end) {
    if (dds_waitset_wait(waits, nullptr, 0, DDS_MSECS(kLookMilliseconds)) > 0) {
      for (BusTopic* topic : topics) {
        topic->take(take);
      }
    }
  }
}

// From the gateway to the network.
void speak(int socket, std::span<BusTopic* const> topics) {
  std::vector<char> room(kMostBusBytes);
  pollfd readable{.fd = socket, .events = POLLIN, .revents = 0};
  while (!told_to_end) {
    if (::poll(&readable, 1, kLookMilliseconds) <= 0) {
      continue;
    }
    const ssize_t length = ::recv(socket, room.data(), room.size(), 0);
    if (length == 0) {
      return;  // the gateway has gone
    }
    if (length < 0) {
      continue;
    }
    const std::string text(room.data() + 1, static_cast<std::size_t>(length) - 1);
    for (BusTopic* topic : topics) {
      if (room[0] == static_cast<char>(topic->kind()) && !topic->write(text)) {
        spdlog::warn("site: DDS does not take a message for the other gateways");
      }
    }
  }
}

int run(const BusSettings& settings) {
  log_plainly(settings.run);
  confine({});
  std::signal(SIGTERM, [](int) { told_to_end = true; });
  std::signal(SIGINT, [](int) { told_to_end = true; });
  made(dds_create_domain(kDomain, domain_configuration(settings).c_str()), "the domain");
  const dds_entity_t participant = made(dds_create_participant(kDomain, nullptr, nullptr), "a participant");
  BusTopic states(participant, BusKind::kState, settings);
  BusTopic words(participant, BusKind::kWord, settings);
  BusTopic air(participant, BusKind::kAir, settings);
  BusTopic places(participant, BusKind::kPlaces, settings);
  const std::array<BusTopic*, 4> topics = {&states, &words, &air, &places};
  std::jthread listener([&] { listen(settings.socket, participant, topics); });
  speak(settings.socket, topics);
  told_to_end = true;
  listener.join();
  dds_delete(DDS_CYCLONEDDS_HANDLE);
  return 0;
}

}  // namespace
}  // namespace hilgate::bus

int main(int argc, char** argv) {
  using namespace hilgate;
  std::string settings;
  CLI::App program("hilgate-site: DDS between the gateways of a site; each gateway starts its own");
  program.add_option("settings", settings, "the settings from the gateway, as JSON")->required();
  CLI11_PARSE(program, argc, argv);
  try {
    return bus::run(nlohmann::json::parse(settings).get<BusSettings>());
  } catch (const std::exception& error) {
    log_failure(fmt::format("hilgate-site: {}", error.what()));
    return 1;
  }
}
