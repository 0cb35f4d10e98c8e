// SPDX-License-Identifier: Apache-2.0
// What an interface may say to the kernel of its machine, with a filter for its name and without.
#include "host/stack_filter.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/netns.h"

namespace hilgate::test {
namespace {

constexpr int kPatience = 30;  // seconds

class StackFilterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
    host_ = std::make_unique<NetNs>("filter");
    robot_ = std::make_unique<NetNs>("filter");
  }
  void plug(const std::string& interface, int subnet) {
    const std::string net = "10.7." + std::to_string(subnet) + ".";
    const std::string net6 = "fd0" + std::to_string(subnet) + "::";
    VethPair({host_.get(), interface, "", {net + "1/24", net6 + "1/64"}},
             {robot_.get(), interface, "", {net + "2/24", net6 + "2/64"}});
  }
  /// Whether the machine answers: ARP first, or, where it is known, IP.
  [[nodiscard]] bool hears(const std::string& address, int seconds = 1) const {
    return robot_->run("ping -q -c 1 -W " + std::to_string(seconds) + " " + address).status == 0;
  }
  [[nodiscard]] std::unique_ptr<StackFilter> make_filter() const {
    const InNetNs here = host_->enter();
    return std::make_unique<StackFilter>();
  }

  std::unique_ptr<NetNs> host_, robot_;
};

TEST_F(StackFilterTest, DropsFromInterfacesThatComeLater) {
  const auto filter = make_filter();
  filter->drop_from({"late", "never", "a-name-that-is-too-long"});
  plug("late", 1);
  plug("other", 2);
  EXPECT_FALSE(hears("10.7.1.1"));
  EXPECT_FALSE(hears("fd01::1"));
  EXPECT_TRUE(hears("10.7.2.1", kPatience));
  EXPECT_TRUE(hears("fd02::1", kPatience));
}

TEST_F(StackFilterTest, DropsArp) {
  const auto filter = make_filter();
  plug("late", 1);
  filter->drop_from({"late"});
  EXPECT_FALSE(hears("10.7.1.1"));
  const std::string neighbours = robot_->run_ok("ip neigh show to 10.7.1.1");
  EXPECT_EQ(neighbours.find("lladdr"), std::string::npos) << neighbours;
}

TEST_F(StackFilterTest, IsForTheNamesOfTheLastCallAlone) {
  const auto filter = make_filter();
  plug("one", 1);
  plug("two", 2);
  filter->drop_from({"one"});
  EXPECT_FALSE(hears("10.7.1.1"));
  filter->drop_from({"two"});
  EXPECT_TRUE(hears("10.7.1.1", kPatience));
  EXPECT_FALSE(hears("10.7.2.1"));
  filter->drop_from({});
  EXPECT_TRUE(hears("10.7.2.1", kPatience));
  filter->drop_from({"two"});
  EXPECT_FALSE(hears("10.7.2.1"));
}

TEST_F(StackFilterTest, EndsWithItsObject) {
  plug("one", 1);
  auto filter = make_filter();
  const auto second = make_filter();
  filter->drop_from({"one"});
  second->drop_from({"two"});
  EXPECT_FALSE(hears("10.7.1.1"));
  filter.reset();
  EXPECT_TRUE(hears("10.7.1.1", kPatience));
}

}  // namespace
}  // namespace hilgate::test
