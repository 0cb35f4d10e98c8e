// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/edit/edited_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "gateway/configuration/reader/installed_names.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* kPair =
    "name: pair   # two of them\n"
    "ports: {red: {interface: hg-red}, blue: {interface: hg-blue}}\n"
    "robots:\n"
    "  red: {port: red, radio: wifi_11n_2g4_adhoc}\n"
    "  blue: {port: blue, radio: wifi_11n_2g4_adhoc}   # the other\n"
    "physics:\n"
    "  type: trajectory\n"
    "  tracks: {red: [{at: 0s, position: [0m, 0m, 1m]}], blue: [{at: 0s, position: [9m, 0m, 1m]}]}\n"
    "netsim: {type: embedded}\n";

class EditedFileTest : public ::testing::Test {
 protected:
  void SetUp() override { write(kPair); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  [[nodiscard]] std::string content() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] EditedFile opened() const { return {path_, known_names()}; }

  TempDir folder_;
  std::string path_ = folder_.file("pair.yaml");
};

TEST_F(EditedFileTest, AValidDraftIsSavedWithItsComments) {
  EditedFile file = opened();
  file.change({{{"name"}, "field"}}, false);
  EXPECT_EQ(content(), kPair);
  EXPECT_FALSE(file.is_saved());
  file.save();
  EXPECT_THAT(content(), HasSubstr("name: field   # two of them\n"));
  EXPECT_TRUE(file.is_saved());
}

TEST_F(EditedFileTest, WhatIsWrongIsReportedAtItsLineAndNotSaved) {
  EditedFile file = opened();
  file.change({{{"robots", "blue", "radio"}, "wifi_11z"}}, false);
  const auto report = file.report();
  EXPECT_EQ(report["faults"][0]["line"], 5);
  EXPECT_EQ(report["faults"][0]["path"], "robots.blue.radio");
  EXPECT_THAT([&] { file.save(); }, ThrowsMessage<ConfigError>(HasSubstr("wifi_11z")));
  EXPECT_EQ(content(), kPair);
  file.undo();
  EXPECT_TRUE(file.report()["faults"].empty());
  EXPECT_TRUE(file.is_saved());
}

TEST_F(EditedFileTest, WhatOthersHaveWrittenMeanwhileStays) {
  EditedFile file = opened();
  file.change({{{"name"}, "field"}}, false);
  write(std::string(kPair) + "seed: 5\n");
  EXPECT_THAT([&] { file.save(); }, ThrowsMessage<std::runtime_error>(HasSubstr("has changed since it was read")));
  EXPECT_THAT(content(), HasSubstr("name: pair"));
  file.read_again();
  file.change({{{"name"}, "field"}}, false);
  file.save();
  EXPECT_THAT(content(), HasSubstr("seed: 5"));
}

TEST_F(EditedFileTest, CommentsGoWithConsentAlone) {
  EditedFile file = opened();
  const std::vector<YamlChange> removal = {{{"robots", "blue"}, {}}};
  try {
    file.change(removal, false);
    ADD_FAILURE() << "the comment went without a question";
  } catch (const NeedsConsent& error) {
    EXPECT_EQ(error.lost_comments(), std::vector<std::string>{"# the other"});
  }
  EXPECT_EQ(file.report()["text"], kPair);
  file.change(removal, true);
  EXPECT_FALSE(file.report()["faults"].empty());  // its way is there yet
}

TEST_F(EditedFileTest, AllChangesOrNone) {
  EditedFile file = opened();
  EXPECT_THROW(file.change({{{"name"}, "field"}, {{"robots", "green"}, {}}}, false), YamlEditError);
  EXPECT_EQ(file.report()["text"], kPair);
}

TEST_F(EditedFileTest, TheModeOfTheFileAndLinksToItStay) {
  namespace fs = std::filesystem;
  fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write);
  const std::string link = folder_.file("link.yaml");
  fs::create_symlink(path_, link);
  EditedFile file(link, known_names());
  file.change({{{"name"}, "field"}}, false);
  file.save();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_THAT(content(), HasSubstr("name: field"));
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(EditedFileTest, ATextThatIsNoYamlCanBeMended) {
  write("name: [\n");
  EditedFile file = opened();
  EXPECT_TRUE(file.report()["tree"].is_null());
  EXPECT_TRUE(file.report()["world"].is_null());
  EXPECT_GT(file.report()["faults"][0]["line"], 0);
  file.write(kPair);
  EXPECT_TRUE(file.report()["faults"].empty());
  EXPECT_EQ(file.report()["world"]["robots"].size(), 2);
  EXPECT_THAT([&] { EditedFile(folder_.file("none.yaml"), known_names()); },
              ThrowsMessage<ConfigError>(HasSubstr("none.yaml")));
}

}  // namespace
}  // namespace hilgate::test
