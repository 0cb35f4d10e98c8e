// SPDX-License-Identifier: Apache-2.0
// Symbolic links laid where root's lab writes its record.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gateway/lab/lab_record.h"
#include "tests/fault/fault_record.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

TEST(Fault, LabRecordDoesNotFollowSymbolicLinks) {
  const TempDir folder;
  const std::string victim = folder.file("victim");
  std::ofstream(victim) << "untouched";
  const std::string lab = "fault-link-" + std::to_string(getpid());
  const auto path = LabRecord::path_of(lab);
  std::filesystem::create_directories(path.parent_path());

  std::filesystem::create_symlink(victim, path);
  EXPECT_THROW(LabRecord::create(lab), std::runtime_error);
  EXPECT_THROW(static_cast<void>(LabRecord::load(lab)), std::runtime_error);
  std::filesystem::remove(path);

  auto record_of_lab = LabRecord::create(lab);
  std::filesystem::create_symlink(victim, path.string() + ".new");
  record_of_lab.add({.name = "somebody"});
  EXPECT_FALSE(std::filesystem::is_symlink(path));
  record_of_lab.remove();

  std::ifstream stream(victim);
  std::string text;
  std::getline(stream, text);
  EXPECT_EQ(text, "untouched");
  record({"Symbolic links where the lab's record is written", "Never followed; a record of another user is refused",
          "the file behind is unchanged"});
}

}  // namespace
}  // namespace hilgate::test
