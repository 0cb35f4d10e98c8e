// SPDX-License-Identifier: Apache-2.0
// Two bytes on the wire that are a hundred in memory, a million times, behind a group that stops the count.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fmt/format.h>

#include "physics_link/rosnetsim/rosnetsim_physics.h"
#include "tests/fault/fault_record.h"

namespace hilgate::test {
namespace {

long most_memory_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(Fault, EntryBombAfterAGroupIsRefusedBeforeParsing) {
  std::string bomb = {'\x7b', '\x7c'};  // an empty group, field 15
  for (int i = 0; i < 8'000'000; ++i) {
    bomb += {'\x12', '\0'};
  }
  const long before = most_memory_kib();
  Scene scene;
  MaybeFault fault;
  const auto took =
      time_of([&] { fault = rosnetsim::decode_channels(bomb, 2, rosnetsim::SightRule::kTwoHops, scene); });
  ASSERT_TRUE(fault);
  EXPECT_FALSE(is_soft(fault->error));
  const long grown = most_memory_kib() - before;
  EXPECT_LT(grown, 64 * 1024) << "KiB";
  record({"A message with millions of empty parts after an unknown group", "Refused before it is parsed",
          fmt::format("16 MB refused in {}, memory grew by {} KiB", text_of(took), grown)});
}

}  // namespace
}  // namespace hilgate::test
