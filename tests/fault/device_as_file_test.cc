// SPDX-License-Identifier: Apache-2.0
// FIFOs, devices and endless files where a file is named.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "config/config_file.h"
#include "config/yaml_reader.h"
#include "gateway/configuration/document/config_document.h"
#include "host/plain_file.h"
#include "physics_link/trajectory/track.h"
#include "rf_profiles/errors/error_model.h"
#include "rf_profiles/survey/grid_map.h"
#include "tests/fault/fault_record.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

TEST(Fault, OnlyRegularFilesAreReadAsFiles) {
  const TempDir folder;
  ASSERT_EQ(mkfifo(folder.file("fifo").c_str(), 0600), 0);
  std::ofstream(folder.file("text")) << "t";
  std::filesystem::create_symlink("/proc/kmsg", folder.file("link"));
  const std::vector<std::string> robots = {"red"};
  const auto took = time_of([&] {
    for (const std::string& path :
         {folder.file("fifo"), std::string("/dev/zero"), std::string("/tmp"), folder.file("link"),
          folder.file("absent"), folder.file("text") + std::string("\0x", 2)}) {
      EXPECT_THROW(read_plain_file(path), std::runtime_error) << path;
      EXPECT_THROW(read_tracks_csv(path, robots), ConfigError) << path;
      EXPECT_THROW(YamlDocument::load(path), ConfigError) << path;
      EXPECT_THROW(ConfigDocument::load(path), ConfigError) << path;
      EXPECT_THROW(read_error_table(path, ErrorTableFormat::kCsv, 1500), ConfigError) << path;
      EXPECT_THROW(read_map_image(path), std::runtime_error) << path;
    }
    std::ofstream(folder.file("long")) << std::string(5000, 'x');
    EXPECT_THROW(read_plain_file(folder.file("long"), {.most_bytes = 4999}), std::runtime_error);
    EXPECT_EQ(read_plain_file(folder.file("long")).size(), 5000U);
  });
  record(
      {"A FIFO, a device, a link to one, a folder, a file without end or a name with a zero byte is given as "
       "configuration, tracks, map or error table",
       "Refused at once", "all refused within " + text_of(took)});
}

}  // namespace
}  // namespace hilgate::test
