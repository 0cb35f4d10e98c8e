// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/plan_picture.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace hilgate::test {
namespace {

using namespace std::literals;

class PlanFile : public testing::Test {
 protected:
  [[nodiscard]] WebPlan plan_of(std::string_view content) const {
    std::ofstream(file_, std::ios::binary) << content;
    return {.image = file_, .x_m = 2, .y_m = -5, .width_m = 40, .rotation_rad = 0.5};
  }
  void TearDown() override { std::filesystem::remove(file_); }

  const std::filesystem::path file_ = std::filesystem::path(testing::TempDir()) / "hilgate-plan-picture";
};

std::string plan_fault(const WebPlan& plan) {
  try {
    open_plan(plan);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST_F(PlanFile, IsAPictureByItsFirstBytes) {
  for (const auto& [head, type] : {std::pair{"\x89PNG\r\n\x1a\nrest"sv, "image/png"sv},
                                   {"\xff\xd8\xff\xe0rest"sv, "image/jpeg"sv},
                                   {"RIFF\4\0\0\0WEBPrest"sv, "image/webp"sv}}) {
    const PlanPicture picture = open_plan(plan_of(head));
    EXPECT_EQ(picture.type, type);
    EXPECT_EQ(*picture.bytes, head);
    EXPECT_THAT(about_plan(picture), testing::StartsWith(R"({"origin_m":[2.0,-5.0],"rotation_deg":28.64788)"));
  }
}

TEST_F(PlanFile, IsRefusedWithTheReason) {
  EXPECT_EQ(plan_fault({.image = "/nowhere/hall.png"}), "web.plan: /nowhere/hall.png: no such file");
  EXPECT_EQ(plan_fault({.image = "/dev/zero"}), "web.plan: /dev/zero: is not a file");
  for (const std::string_view other : {""sv, "GIF89a"sv, "\x89PNG\r\n\x1a"sv, "RIFF\4\0\0\0WAVE"sv, "RIFFWEBP"sv}) {
    EXPECT_THAT(plan_fault(plan_of(other)),
                testing::EndsWith("is no picture by its first bytes; PNG, JPEG and WebP are "
                                  "shown"));
  }
  WebPlan plan = plan_of("\xff\xd8\xff");
  std::filesystem::resize_file(plan.image, PlanPicture::kLongest);
  EXPECT_EQ(plan_fault(plan), "");
  std::filesystem::resize_file(plan.image, PlanPicture::kLongest + 1);
  EXPECT_THAT(plan_fault(plan), testing::EndsWith("has 16777217 bytes; at most 16777216 are shown: make it smaller"));
}

}  // namespace
}  // namespace hilgate::test
