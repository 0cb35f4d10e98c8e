// SPDX-License-Identifier: Apache-2.0
// FIFOs, devices and endless files where a file is named.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "config/config_error.h"
#include "host/plain_file.h"
#include "physics_link/trajectory/track.h"
#include "tests/fault/fault_record.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

TEST(Fault, NothingButAFileIsReadAsAFile) {
  const TempDir folder;
  ASSERT_EQ(mkfifo(folder.file("fifo").c_str(), 0600), 0);
  const std::vector<std::string> robots = {"red"};
  const auto took = time_of([&] {
    for (const std::string& path : {folder.file("fifo"), std::string("/dev/zero"), std::string("/tmp")}) {
      EXPECT_THROW(read_plain_file(path), std::runtime_error) << path;
      EXPECT_THROW(read_tracks_csv(path, robots), ConfigError) << path;
    }
    std::ofstream(folder.file("long")) << std::string(5000, 'x');
    EXPECT_THROW(read_plain_file(folder.file("long"), {.most_bytes = 4999}), std::runtime_error);
    EXPECT_EQ(read_plain_file(folder.file("long")).size(), 5000U);
  });
  record({"A FIFO, a device, a folder or a file without end is named as a file", "Refused at once",
          "all refused within " + text_of(took)});
}

}  // namespace
}  // namespace hilgate::test
