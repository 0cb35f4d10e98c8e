// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/site_commands.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include "clock/host_now.h"

namespace hilgate {
namespace {

constexpr int kAtOnce = 32;       // messages, then windows come first again
constexpr int kBuffer = 1 << 20;  // of texts that wait while the other side is at something else

}  // namespace

BusEnds make_bus_ends() {
  std::array<int, 2> ends{};
  checked(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), "the socket to hilgate-site");
  BusEnds made{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  for (const int end : ends) {
    static_cast<void>(::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kBuffer, sizeof kBuffer));
  }
  checked(::fcntl(ends[0], F_SETFD, FD_CLOEXEC), "the socket to hilgate-site");
  return made;
}

SiteBus::SiteBus(asio::io_context& context, FileDescriptor own, Take take)
    : socket_(context, ::dup(own.get())), take_(std::move(take)), room_(kMostBusBytes) {
  static_cast<void>(::fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC));
  wait();
}

bool SiteBus::send(BusKind kind, std::string_view text) {
  const std::string message = static_cast<char>(kind) + std::string(text);
  return message.size() <= kMostBusBytes &&
         ::send(socket_.native_handle(), message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

void SiteBus::wait() {
  socket_.async_wait(asio::posix::stream_descriptor::wait_read, [this, alive = alive_](const asio::error_code& error) {
    if (*alive && !error) {
      read();
    }
  });
}

void SiteBus::read() {
  for (int i = 0; i < kAtOnce; ++i) {
    const ssize_t length = ::recv(socket_.native_handle(), room_.data(), room_.size(), MSG_DONTWAIT);
    if (length == 0) {
      return;  // the other end is closed
    }
    if (length < 0) {
      break;
    }
    const std::string_view message(room_.data(), static_cast<std::size_t>(length));
    if (const std::size_t end = message.find('\n'); end != std::string_view::npos && end > 0) {
      take_(static_cast<BusKind>(message.front()), message.substr(1, end - 1), message.substr(end + 1));
    }
  }
  wait();
}

namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 100ms;
constexpr std::uint64_t kTicksBetweenStates = 10;
constexpr Nanoseconds kTryAgain = 5s;

std::uint64_t number_in(const nlohmann::json& state, const char* key) {
  const auto found = state.find(key);
  return found != state.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::vector<std::string> names_of(const SiteTerms& terms) {
  std::vector<std::string> names;
  for (const SiteEnd& gateway : terms.gateways) {
    names.push_back(gateway.name);
  }
  return names;
}

}  // namespace

SiteCommands::SiteCommands(asio::io_context& context, const SiteTerms& terms, FileDescriptor bus, Run run)
    : place_(terms.own),
      names_(names_of(terms)),
      own_(names_[place_]),
      run_(std::move(run)),
      seal_(terms.site, terms.key),
      bus_(context, std::move(bus),
           [this](BusKind kind, std::string_view gateway, std::string_view text) { take(kind, gateway, text); }),
      agreement_(names_, own_, static_cast<std::uint64_t>(host_now().time_since_epoch().count()), run_.member,
                 [this](const nlohmann::json& word) {
                   if (!say(BusKind::kWord, word)) {
                     spdlog::warn("site: hilgate-site takes no words; is it running?");
                   }
                 }),
      timer_(context) {}

void SiteCommands::start() {
  tick();
}

void SiteCommands::tick() {
  agreement_.tick(host_now());
  if (ticks_++ % kTicksBetweenStates == 0) {
    tell();
  }
  timer_.expires_after(kTick);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      tick();
    }
  });
}

void SiteCommands::tell() {
  nlohmann::json state = run_.state();
  state["changes"] = changes_;
  static_cast<void>(say(BusKind::kState, state));  // the next one comes in a second
}

void SiteCommands::propose(const SiteChange& change, SiteAgreement::Done done) {
  require_all();
  agreement_.propose(change, host_now(), std::move(done));
}

// Gateways that miss a change would not be one air with the others.
void SiteCommands::require_all() const {
  for (const SiteReport::Peer& peer : run_.report().peers) {
    std::string fault;
    if (peer.report.state != PeerState::kHere) {
      fault = fmt::format("is not one air with this one ({})", name(peer.report.state));
    } else if (!heard_.contains(peer.name)) {
      fault = "is not received by DDS; does its hilgate-site run, and do its UDP ports 26660 to 26697 reach it?";
    }
    if (!fault.empty()) {
      throw std::runtime_error(fmt::format(
          "nothing was changed: all gateways of a site change or none, and gateway {} {}", peer.name, fault));
    }
  }
}

void SiteCommands::applied(std::uint64_t window, const std::string& error) {
  changes_ += error.empty() ? 1 : 0;
  agreement_.applied(window, error, host_now());
  tell();
}

bool SiteCommands::pass_on(BusKind kind, const std::string& text) {
  return bus_.send(kind, seal_.seal(place_, static_cast<char>(kind), text, run_.wall()));
}

bool SiteCommands::say(BusKind kind, const nlohmann::json& text) {
  return pass_on(kind, text.dump());
}

void SiteCommands::take(BusKind kind, std::string_view gateway, std::string_view text) {
  const std::string from(gateway);
  const auto name = std::ranges::find(names_, from);
  if (name == names_.end() || from == own_) {
    return;
  }
  if (kind == BusKind::kGone) {
    heard_.erase(from);
    return;
  }
  const auto place = static_cast<std::uint32_t>(name - names_.begin());
  const auto opened = seal_.open(place, static_cast<char>(kind), text, run_.wall());
  if (kind == BusKind::kAir || kind == BusKind::kPlaces) {
    if (opened) {
      run_.hear(kind, place, *opened);
    }
    return;
  }
  const nlohmann::json said = opened ? nlohmann::json::parse(*opened, nullptr, false) : nlohmann::json();
  if (!said.is_object()) {
    return;
  }
  kind == BusKind::kState ? take_state(from, said) : agreement_.hear(from, said, host_now());
}

void SiteCommands::take_state(const std::string& gateway, nlohmann::json state) {
  const Heard& heard = heard_[gateway] = {.state = std::move(state), .at = host_now()};
  if (number_in(heard.state, "changes") > changes_ && !agreement_.busy()) {
    catch_up(gateway, heard.state);
  }
}

void SiteCommands::catch_up(const std::string& gateway, const nlohmann::json& state) {
  const HostTime now = host_now();
  if (tried_ && now - *tried_ < kTryAgain) {
    return;
  }
  tried_ = now;
  try {
    Standing standing{.digest = number_in(state, "digest"), .values = {}};
    for (const nlohmann::json& value : state.value("values", nlohmann::json::array())) {
      standing.values.push_back(value.get<std::string>());
    }
    if (run_.catch_up(standing)) {
      changes_ = number_in(state, "changes");
      spdlog::info("site: continues with the values set at gateway {}: {} values", gateway, standing.values.size());
      tell();
    }
  } catch (const std::exception& error) {
    spdlog::warn("site: values set at gateway {} cannot be set here: {}", gateway, error.what());
  }
}

namespace {

// What comes from a network may lack a key, or have it as another type.
std::optional<std::string> text_of(const nlohmann::json& state, const char* key) {
  const auto found = state.find(key);
  return found != state.end() && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}
std::optional<std::uint64_t> number_of(const nlohmann::json& state, const char* key) {
  const auto found = state.find(key);
  return found != state.end() && found->is_number_unsigned() ? std::optional(found->get<std::uint64_t>())
                                                             : std::nullopt;
}

}  // namespace

void SiteCommands::add_to(SiteStatus& site) const {
  site.changes = changes_;
  for (SiteGatewayStatus& gateway : site.gateways) {
    const auto found = heard_.find(gateway.name);
    gateway.commands = found != heard_.end();
    if (found == heard_.end()) {
      continue;
    }
    const auto& [state, at] = found->second;
    gateway.heard = host_now() - at;
    gateway.run = text_of(state, "run");
    gateway.window = number_of(state, "window");
    gateway.windows_missed = number_of(state, "windows_missed");
    gateway.in = number_of(state, "in");
    gateway.out = number_of(state, "out");
    gateway.dropped = number_of(state, "dropped");
    gateway.clock = text_of(state, "clock");
    gateway.changes = number_of(state, "changes");
  }
}

}  // namespace hilgate
