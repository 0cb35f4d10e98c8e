// SPDX-License-Identifier: Apache-2.0
#include "clock/reference/reference_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clock/host_now.h"
#include "clock/reference/reference_options.h"
#include "tests/clock/ptp_lab.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

class SwitchedSource final : public ReferenceSource {
 public:
  SwitchedSource(std::uint8_t number, const bool& speaks) : number_(number), speaks_(speaks) {}
  [[nodiscard]] std::string describe() const override { return "source " + std::to_string(number_); }
  ReferenceReading read() override {
    ReferenceReading reading;
    reading.grandmaster = ClockIdentity{{number_}};
    if (speaks_) {
      reading.sample = ReferenceSample{host_now(), WallTime{Nanoseconds{number_}}};
    }
    return reading;
  }

 private:
  std::uint8_t number_;
  const bool& speaks_;
};

TEST(PreferredSource, FollowsTheFirstActiveSourceAndReturnsToIt) {
  bool first = false;
  bool second = true;
  std::vector<std::unique_ptr<ReferenceSource>> members;
  members.push_back(std::make_unique<SwitchedSource>(1, first));
  members.push_back(std::make_unique<SwitchedSource>(2, second));
  PreferredSource source{std::move(members), 500ms};
  EXPECT_EQ(source.read().grandmaster->bytes[0], 2);
  EXPECT_EQ(source.describe(), "source 2, preferred of 2");
  first = true;
  EXPECT_EQ(source.read().grandmaster->bytes[0], 1);
  first = false;
  EXPECT_EQ(source.read().grandmaster->bytes[0], 1) << "a moment's silence is no loss";
  EXPECT_TRUE(wait_until(5s, [&] { return source.read().grandmaster->bytes[0] == 2; }));
  second = false;
  EXPECT_EQ(source.read().grandmaster->bytes[0], 2) << "when nobody speaks, nothing changes";
}

TEST(PreferredSource, DomainsHaveSocketsOfTheirOwn) {
  ReferenceOptions options;
  options.kind = ReferenceKind::kPtp4l;
  options.ptp4l = {.server = "/nonexistent/ptp4l.{domain}", .directory = std::filesystem::temp_directory_path()};
  options.domains = {3, 4};
  EXPECT_EQ(make_reference(options)->describe(),
            "ptp4l at /nonexistent/ptp4l.3, domain 3, software timestamps of the system clock, preferred of 2");
  options.domains = {};
  EXPECT_THROW(make_reference(options), std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
