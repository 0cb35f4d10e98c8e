// SPDX-License-Identifier: Apache-2.0
// The network between the gateways of a world's site: datagrams of the tunnels, and texts between the gateways'
// hilgate-site programs. Both are the product's own bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/site/bus_settings.h"
#include "gateway/site/site_packet.h"
#include "gateway/site/site_socket.h"
#include "host/file_descriptor.h"
#include "tests/world/world_random.h"

namespace hilgate::test {

/// Instants of a world are on one time line, on which no gateway's clock is.
using WorldTime = Nanoseconds;

struct SiteNetworkTerms {
  Nanoseconds delay{0};   // of each datagram, at least
  Nanoseconds jitter{0};  // of each on top, at most: they overtake one another
  double loss = 0;
  double duplication = 0;
  double refused = 0;  // that the sender's socket does not take
};

/// What became of datagrams of one kind.
struct SiteNetworkAccount {
  std::uint64_t sent = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t lost = 0;
  std::uint64_t received = 0;  // by a socket
  std::uint64_t unheard = 0;   // no socket was open where they went
  [[nodiscard]] std::uint64_t in_flight() const { return sent + duplicated - lost - received - unheard; }
};

class SiteNetwork {
 public:
  static constexpr std::size_t kKinds = 3;  // SitePacket::Kind

  SiteNetwork(const SiteNetworkTerms& terms, std::string site, WorldRandom& random)
      : terms_(terms), network_(site_network(site)), random_(random) {}

  /// One socket at a time for each end. The network outlives it.
  std::unique_ptr<SiteSocket> open(const SiteEnd& own);
  void set_time(WorldTime now) { now_ = now; }
  /// What a gateway sends from now on goes nowhere, and nothing is sent to it.
  void cut(std::uint32_t ipv4, bool is_cut) { cut_[ipv4] = is_cut; }
  [[nodiscard]] bool is_cut(std::uint32_t ipv4) const {
    const auto found = cut_.find(ipv4);
    return found != cut_.end() && found->second;
  }

  /// What has arrived where no socket is open.
  void drop_due(std::uint32_t ipv4);

  /// Datagrams that sockets of this address have received.
  [[nodiscard]] std::uint64_t received(std::uint32_t ipv4) { return received_[ipv4]; }
  [[nodiscard]] const SiteNetworkAccount& account(SitePacket::Kind kind) const {
    return accounts_[static_cast<std::size_t>(kind)];
  }

 private:
  class Socket;
  struct Datagram {
    SiteEnd from;
    std::size_t kind = 0;
    std::vector<std::byte> bytes;
  };

  bool send(const SiteEnd& from, std::uint32_t to, std::vector<std::byte> bytes);
  void carry(const SiteEnd& from, std::uint32_t to, std::size_t kind, const std::vector<std::byte>& bytes);

  SiteNetworkTerms terms_;
  std::uint32_t network_;
  WorldRandom& random_;
  WorldTime now_{};
  std::uint64_t count_ = 0;
  std::map<std::uint32_t, bool> cut_;
  std::map<std::uint32_t, std::map<std::pair<WorldTime, std::uint64_t>, Datagram>> on_way_;  // by receiver, as due
  std::map<std::uint32_t, std::uint64_t> received_;                                          // by receiver
  std::array<SiteNetworkAccount, kKinds> accounts_{};
};

/// In the place of the gateways' hilgate-site programs: texts arrive in order, and once. As DDS does, it keeps a
/// gateway's last state for those that come later, and reports one that has been silent for kGoneAfter as gone.
class SiteTexts {
 public:
  static constexpr Nanoseconds kDelay{2'000'000};
  static constexpr Nanoseconds kGoneAfter{1'000'000'000};
  static constexpr Nanoseconds kLookEvery{1'000'000};

  /// A gateway's program begins; the end of its socket as of make_bus_ends().
  void open(const std::string& gateway, FileDescriptor program);
  void close(const std::string& gateway) { ends_.erase(gateway); }
  void cut(const std::string& gateway, bool is_cut) { cut_[gateway] = is_cut; }
  /// Takes what gateways have written, and hands over what has arrived.
  void carry(WorldTime now);

 private:
  struct Text {
    WorldTime due{};
    std::string to;
    std::string message;
  };
  struct End {
    FileDescriptor program;
    std::string state;                     // the last one
    std::map<std::string, WorldTime> met;  // gateways whose states it has, and when they were reachable last
  };

  void take(const std::string& from, WorldTime now);
  void note_reachable(const std::string& own, End& end, WorldTime now);
  [[nodiscard]] bool reach(const std::string& one, const std::string& other) const;

  std::map<std::string, End> ends_;
  std::map<std::string, bool> cut_;
  std::deque<Text> on_way_;
  WorldTime next_{};
  std::vector<char> room_ = std::vector<char>(kMostBusBytes);
};

}  // namespace hilgate::test
