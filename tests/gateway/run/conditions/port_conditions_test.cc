// SPDX-License-Identifier: Apache-2.0
// What a port loses is said, but for what it kept out while it was closed.
#include "gateway/run/conditions/found_conditions.h"

#include <gmock/gmock.h>

namespace hilgate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PortConditionsTest : public testing::Test {
 protected:
  /// Texts of the conditions at a look at one port that has blocked so many frames until now.
  std::vector<std::string> look(const char* state, std::uint64_t blocked) {
    const PortReport port{.name = "red",
                          .interface = "hg-red",
                          .state = state,
                          .driver = "af_xdp",
                          .mode = "native",
                          .arrival_times = "",
                          .release_times = "",
                          .lost_at_capture = {{"blocked", blocked}}};
    std::vector<Condition> found;
    conditions_.find(Configuration{}, {port}, false, found);
    std::vector<std::string> texts;
    for (const Condition& condition : found) {
      if (condition.name == "port_loses") {
        texts.push_back(condition.text);
      }
    }
    return texts;
  }

 private:
  PortConditions conditions_;
};

TEST_F(PortConditionsTest, FramesThatCameBeforeTheRunAreNoLoss) {
  EXPECT_THAT(look("up", 2), IsEmpty());
  EXPECT_THAT(look("up", 2), IsEmpty());
  EXPECT_THAT(look("up", 3), ElementsAre("port red: loses frames beside the packet path; 3 at capture (blocked 3)"));
  EXPECT_THAT(look("up", 3), IsEmpty());
}

TEST_F(PortConditionsTest, FramesThatCameWhileItWasClosedAreNoLoss) {
  EXPECT_THAT(look("down", 0), IsEmpty());
  EXPECT_THAT(look("down", 5), IsEmpty());
  EXPECT_THAT(look("up", 7), IsEmpty());
  EXPECT_THAT(look("up", 8), ElementsAre("port red: loses frames beside the packet path; 8 at capture (blocked 8)"));
}

TEST_F(PortConditionsTest, AnInterfaceMadeAgainCountsFromZero) {
  EXPECT_THAT(look("up", 9), IsEmpty());
  EXPECT_THAT(look("absent", 0), IsEmpty());
  EXPECT_THAT(look("up", 0), IsEmpty());
  EXPECT_THAT(look("up", 1), ElementsAre("port red: loses frames beside the packet path; 1 at capture (blocked 1)"));
}

}  // namespace
}  // namespace hilgate
