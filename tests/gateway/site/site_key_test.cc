// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/site_key.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <stdexcept>

#include "gateway/site/tunnel_peers.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr WallTime kKeyWall{Nanoseconds{1'795'510'000'000'000'000}};
constexpr HostTime kKeyHost{Nanoseconds{5'000'000'000}};

SiteKey key(unsigned char first) {
  return SiteKey({first, 2, 3});
}

SiteTerms keyed_terms(std::uint32_t own, std::optional<SiteKey> key) {
  return {.site = "hall",
          .gateways = {{"a", 0xC0000201, 6081}, {"b", 0xC0000202, 6081}, {"c", 0xC0000203, 6081}},
          .own = own,
          .digest = 42,
          .version = "1.0",
          .clock_within = 1ms,
          .silent_after = 500ms,
          .zero_within = 500us,
          .gateway_of = {0, 1, 2},
          .key = key};
}

// What one says reaches the other at once; says whether all was taken.
bool tell(TunnelPeers& from, TunnelPeers& to, Nanoseconds after) {
  const auto bytes = from.beacon(to.terms().own, {kKeyHost + after, kKeyWall + after});
  const auto before = to.refused()[static_cast<std::size_t>(SiteRefusal::kProof)];
  static_cast<void>(
      to.take({from.terms().gateways[from.terms().own].ipv4, 6081, bytes}, {kKeyHost + after, kKeyWall + after}));
  return to.refused()[static_cast<std::size_t>(SiteRefusal::kProof)] == before;
}

PeerState after_talk(std::optional<SiteKey> of_a, std::optional<SiteKey> of_b) {
  TunnelPeers a(keyed_terms(0, of_a), 1);
  TunnelPeers b(keyed_terms(1, of_b), 1);
  a.set_zero(kKeyWall);
  b.set_zero(kKeyWall);
  for (int i = 0; i < 3; ++i) {
    tell(a, b, i * 100ms);
    tell(b, a, i * 100ms);
    a.judge(kKeyHost + i * 100ms);
  }
  return a.peer(1).report.state;
}

std::string written(const std::string& text, mode_t mode) {
  std::string path = testing::TempDir() + "site_key_test";
  std::ofstream(path) << text;
  ::chmod(path.c_str(), mode);
  return path;
}

std::string key_fault(const std::string& text, mode_t mode) {
  try {
    SiteKey::load(written(text, mode));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST(SiteKeyTest, GatewaysWithOneKeyAreOneAirAndOthersAreNamed) {
  EXPECT_EQ(after_talk(key(1), key(1)), PeerState::kHere);
  EXPECT_EQ(after_talk({}, {}), PeerState::kHere);
  EXPECT_EQ(after_talk(key(1), key(2)), PeerState::kOtherKey);
  EXPECT_EQ(after_talk(key(1), {}), PeerState::kOtherKey);
  EXPECT_EQ(after_talk({}, key(1)), PeerState::kOtherKey);
}

TEST(SiteKeyTest, ChangedOrForeignPacketsAreRefused) {
  TunnelPeers a(keyed_terms(0, key(1)), 1);
  TunnelPeers b(keyed_terms(1, key(1)), 1);
  TunnelPeers c(keyed_terms(2, key(1)), 1);
  const Peer::Moment now{kKeyHost, kKeyWall};
  const auto bytes = a.beacon(1, now);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= std::byte{1};
    EXPECT_FALSE(b.take({0xC0000201, 6081, bytes}, now));
    bytes[i] ^= std::byte{1};
  }
  EXPECT_EQ(b.peer(0).report.digest, 0U) << "nothing was believed";
  static_cast<void>(c.take({0xC0000201, 6081, bytes}, now));
  EXPECT_EQ(c.refused()[static_cast<std::size_t>(SiteRefusal::kProof)], 1U);
  static_cast<void>(b.take({0xC0000201, 6081, bytes}, now));
  EXPECT_EQ(b.peer(0).report.digest, 42U);
}

TEST(SiteKeyTest, AFrameThatWasKeptIsRefused) {
  TunnelPeers a(keyed_terms(0, key(1)), 1);
  TunnelPeers b(keyed_terms(1, key(1)), 1);
  a.set_zero(kKeyWall);
  b.set_zero(kKeyWall);
  for (int i = 0; i < 2; ++i) {
    tell(a, b, i * 100ms);
    tell(b, a, i * 100ms);
  }
  tell(a, b, 200ms);
  b.judge(kKeyHost + 200ms);
  ASSERT_TRUE(b.peer(0).is_here());
  const auto take_after = [&](Nanoseconds kept) {
    std::vector<std::byte> bytes(a.header_bytes() + 60);
    a.write_header(1, {.sent = kKeyWall + 300ms, .instant = kKeyWall + 300ms, .sender = 0, .receiver = 1},
                   std::span(bytes).first(a.header_bytes()));
    const std::array<iovec, 2> parts = {
        {{bytes.data(), a.header_bytes()}, {bytes.data() + a.header_bytes(), bytes.size() - a.header_bytes()}}};
    a.prove(1, parts);
    return b.take({0xC0000201, 6081, bytes}, {kKeyHost + 300ms + kept, kKeyWall + 300ms + kept}).has_value();
  };
  EXPECT_TRUE(take_after(2s));
  EXPECT_FALSE(take_after(2s + 1ns));
}

TEST(SiteKeyTest, FilesThatAreNoKeyAreNamed) {
  const std::string digits(64, 'a');
  EXPECT_EQ(key_fault(digits + "\n", 0600), "");
  EXPECT_EQ(key_fault(digits, 0640), "");
  EXPECT_THAT(key_fault(digits, 0644), HasSubstr("chmod o-rw"));
  EXPECT_THAT(key_fault(digits.substr(1), 0600), HasSubstr("64 hexadecimal digits"));
  EXPECT_THAT(key_fault(digits + "00", 0600), HasSubstr("64 hexadecimal digits"));
  EXPECT_THAT(key_fault("", 0600), HasSubstr("64 hexadecimal digits"));
  EXPECT_THROW(SiteKey::load("/nowhere"), std::runtime_error);
}

TEST(SiteSealTest, TextsAreOpenedOnceByTheirOwner) {
  SiteSeal sender("hall", key(1));
  SiteSeal receiver("hall", key(1));
  const std::string sealed = sender.seal(1, 'w', "{}", kKeyWall);
  EXPECT_FALSE(receiver.open(2, 'w', sealed, kKeyWall)) << "another gateway's";
  EXPECT_FALSE(receiver.open(1, 's', sealed, kKeyWall)) << "another kind";
  EXPECT_FALSE(SiteSeal("yard", key(1)).open(1, 'w', sealed, kKeyWall)) << "another site";
  EXPECT_FALSE(SiteSeal("hall", key(2)).open(1, 'w', sealed, kKeyWall)) << "another key";
  EXPECT_FALSE(SiteSeal("hall", key(1)).open(1, 'w', sealed, kKeyWall + SiteSeal::kOldest + 1ns)) << "old";
  std::string changed = sealed;
  changed.back() = ']';
  EXPECT_FALSE(receiver.open(1, 'w', changed, kKeyWall));
  EXPECT_EQ(receiver.open(1, 'w', sealed, kKeyWall), "{}");
  EXPECT_FALSE(receiver.open(1, 'w', sealed, kKeyWall)) << "again";
  EXPECT_FALSE(receiver.open(1, 'w', "{}", kKeyWall)) << "without a proof";
  EXPECT_EQ(SiteSeal("hall", {}).open(1, 'w', "{}", kKeyWall), "{}");
}

}  // namespace hilgate::test
