// SPDX-License-Identifier: Apache-2.0
#include "host/interface_watch.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace hilgate::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(NeighbourTable, HasRoomForAllPairsOrReportsTheShortage) {
  const auto root = std::filesystem::path(testing::TempDir()) / ("hgt-neighbours-" + std::to_string(::getpid()));
  EXPECT_EQ(few_neighbours(1000, root), "") << "nobody says what the limit is";
  const auto folder = root / "proc/sys/net/ipv4/neigh/default";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "gc_thresh3") << "1024\n";
  EXPECT_EQ(few_neighbours(0, root), "");
  EXPECT_EQ(few_neighbours(32, root), "") << "992 entries";
  EXPECT_THAT(few_neighbours(33, root),
              AllOf(HasSubstr("33 robots that all speak to one another need 1056 neighbour entries, the kernel keeps "
                              "1024 for all namespaces"),
                    HasSubstr("net.ipv4.neigh.default.gc_thresh3=2112"), HasSubstr("gc_thresh2=1056")));
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace hilgate::test
