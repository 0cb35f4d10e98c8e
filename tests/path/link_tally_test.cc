// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>

#include "path/link_tally.h"

namespace hilgate::test {
namespace {

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0;
  std::size_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Without a page of zeros that all share, a kernel takes a page of its own for each that is read.
bool kernel_shares_zeros() {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::size_t before = resident_bytes();
  const auto* area = static_cast<const volatile char*>(
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  for (std::size_t at = 0; at < kBytes; at += 4096) {
    static_cast<void>(area[at]);
  }
  const bool shares = resident_bytes() < before + kBytes / 2;
  ::munmap(const_cast<char*>(area), kBytes);
  return shares;
}

TEST(LinkTally, TakesMemoryForLinksWithDeliveriesAlone) {
  if (!kernel_shares_zeros()) {
    GTEST_SKIP() << "this kernel has no page of zeros: to read the counters takes their memory";
  }
  constexpr std::size_t kLinks = 1'000'000;
  const std::size_t before = resident_bytes();
  LinkTally tally(kLinks);
  EXPECT_EQ(tally.bytes(), kLinks * sizeof(LinkCounters));
  std::uint64_t sum = 0;
  for (const LinkCounters& link : tally.all()) {  // as a status does
    sum += link.deliveries.get();
  }
  EXPECT_EQ(sum, 0U);
  for (std::size_t link = 0; link < kLinks; link += 1000) {
    tally[link].deliveries.add(link + 1);
  }
  EXPECT_LT(resident_bytes(), before + (std::size_t{32} << 20));
  EXPECT_EQ(tally.all()[999'000].deliveries.get(), 999'001U);
  EXPECT_EQ(tally.all()[999'001].deliveries.get(), 0U);
}

TEST(LinkTally, HasNoneOfNoLinks) {
  EXPECT_TRUE(LinkTally(0).all().empty());
}

}  // namespace
}  // namespace hilgate::test
