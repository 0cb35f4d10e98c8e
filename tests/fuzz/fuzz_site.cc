// SPDX-License-Identifier: Apache-2.0
// Datagrams at the port of a gateway's tunnel, from the address of another gateway, some of whose fields are made
// right: what is taken is between robots of these two, or to be decided here, each number once, and all else is
// counted. And texts about links as DDS brings them.
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/site/air_authors.h"
#include "gateway/site/tunnel_peers.h"
#include "host/byte_cursor.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

constexpr std::uint64_t kEpoch = 1'790'000'000'000'000'000;
constexpr std::uint64_t kDigest = 42;
constexpr std::uint16_t kGenevePort = 6081;
constexpr WallTime kZero{Nanoseconds{1'790'000'002'000'000'000}};
constexpr std::uint32_t kOther = 0x7f000002;

SiteTerms terms() {
  return {.site = "hall",
          .gateways = {{"north", 0x7f000001, kGenevePort}, {"south", kOther, kGenevePort}},
          .own = 0,
          .digest = kDigest,
          .version = "1.0",
          .clock_within = Nanoseconds{100'000},
          .silent_after = Nanoseconds{500'000'000},
          .zero_within = Nanoseconds{500'000},
          .gateway_of = {0, 1, 0, 1},
          .media = {.media = {{"air", {0, 1}}}, .of_robot = {0, 0}}};
}

std::uint64_t refusals(const TunnelPeers& peers) {
  return std::accumulate(peers.refused().begin(), peers.refused().end(), std::uint64_t{0});
}

// A site is named, else nothing gets past the first look.
void make_plausible(std::vector<std::byte>& bytes, std::uint8_t how, Nanoseconds since) {
  if (bytes.size() < kSiteHeader) {
    return;
  }
  if ((how & 1) != 0) {
    std::array<std::byte, kSiteHeader> header{};
    write_site_header({}, site_network("hall"), header);
    std::copy_n(header.begin(), kGeneveHeader + 4, bytes.begin());  // and the option's, with what is behind left
    bytes[kGeneveHeader + 4] = header[kGeneveHeader + 4];           // its version
    bytes[kGeneveHeader + 5] &= std::byte{3};
  }
  const auto body = std::span(bytes).subspan(kGeneveHeader + 4);
  if ((how & 2) != 0) {
    store_be(body, 2, std::uint16_t{1});
    store_be(body, 4, kDigest);
    store_be(body, 12, kEpoch);
  }
  if ((how & 4) != 0) {  // sent now, and released or captured a moment before
    store_be(body, 28, (kZero + since).time_since_epoch().count());
    store_be(body, 36, (kZero + since - Nanoseconds{how} * 5'000'000).time_since_epoch().count());
  }
}

class Listener {
 public:
  Listener() : peers_(terms(), kEpoch) { peers_.set_zero(kZero); }

  void hear(std::span<const std::byte> bytes, Nanoseconds since) {
    const Peer::Moment now{HostTime{since}, kZero + since};
    if (peers_.peer(1).report.state == PeerState::kMissing) {
      numbers_.clear();  // its next beacon begins anew
    }
    const std::uint64_t before = refusals(peers_);
    const auto arrival = peers_.take({kOther, kGenevePort, bytes}, now);
    const std::uint64_t refused = refusals(peers_) - before;
    require(refused <= 1, "a datagram is refused for one reason");
    if (arrival) {
      require(refused == 0, "what is taken is not refused");
      require(peers_.peer(1).is_here(), "frames are taken of a gateway that is here");
      check_ends(arrival->packet);
      require(is_sane(arrival->packet.instant), "the instant can be computed with");
      require(arrival->frame.size() + kSiteHeader <= bytes.size(), "the frame is in the datagram");
      require(numbers_.insert({arrival->packet.epoch, arrival->packet.sequence}).second,
              "no number is taken twice in a life");
    }
    peers_.peer(1).judge(now.host, peers_.terms(), {.digests = {kDigest, kDigest}, .version = "1.0", .zero = kZero});
  }

 private:
  static void check_ends(const SitePacket& packet) {
    const bool own = packet.sender % 2 == 1 && packet.sender < 4;
    if (packet.kind == SitePacket::Kind::kFrame) {
      require(own || packet.sender == 0, "the sender is that gateway's, or of a medium that it may decide");
      require(packet.receiver % 2 == 0 && packet.receiver < 4, "the receiver is ours");
      return;
    }
    require(packet.kind == SitePacket::Kind::kRequest, "a beacon has no frame");
    require(packet.sender == 1, "the sender is that gateway's, and its medium ours to decide");
    require(packet.all || (packet.receiver < 4 && packet.receiver != 1), "there is such a receiver");
    require(packet.instant <= packet.sent && packet.sent - packet.instant <= Nanoseconds{1'000'000'000},
            "it was captured before it was sent");
  }

  TunnelPeers peers_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> numbers_;
};

// What is taken is of these robots, and is the same when it is said again.
void hear_air(std::string_view text) {
  constexpr std::size_t kEnds = 4;
  AirTexts texts(kEnds);
  const auto word = texts.take(text);
  if (!word) {
    return;
  }
  LinkTable table;
  table.links.resize(kEnds * kEnds);
  word->write_to(table);
  std::optional<LinkStateUpdate> again;
  for (const std::string& each : air_texts(*word)) {
    again = texts.take(each);
  }
  require(again && again->window == word->window && again->links.size() == word->links.size(), "it can be said again");
}

// Digits of these bytes, else nothing gets past the first look.
std::string digits_of(const std::uint8_t* data, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += "0123456789abcdef"[data[i] >> 4];
    text += "0123456789abcdef"[data[i] & 15];
  }
  return text;
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  using namespace hilgate::test;
  hear_air(std::string_view(reinterpret_cast<const char*>(data), size));
  hear_air(digits_of(data, size));
  FuzzInput input(data, size);
  Listener listener;
  Nanoseconds since{0};
  while (!input.empty()) {
    const std::uint8_t how = input.byte();
    const auto taken = input.bytes(input.byte());
    std::vector<std::byte> bytes(taken.begin(), taken.end());
    make_plausible(bytes, how, since);
    listener.hear(bytes, since);
    since += Nanoseconds{how} * 1'000'000;
  }
  return 0;
}
