// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/mcap/mcap_reader.h"
#include "host/mcap/mcap_writer.h"
#include "host/plain_file.h"

namespace hilgate::test {
namespace {

class McapTest : public ::testing::Test {
 protected:
  McapTest() { std::filesystem::create_directories(folder_); }
  ~McapTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  /// Two channels and three chunks of three messages.
  void write_example() const {
    McapWriter writer(path("a.mcap"), "a program");
    const auto one = writer.add_channel({.topic = "/one", .encoding = "json", .schema = "one"});
    const auto two = writer.add_channel({.topic = "/two", .encoding = "hilgate", .schema = "two"});
    for (std::int64_t chunk = 0; chunk < 3; ++chunk) {
      for (std::int64_t i = 0; i < 3; ++i) {
        writer.write(i == 1 ? two : one, Nanoseconds{1000 * chunk + i}, std::string(static_cast<std::size_t>(i), 'x'));
      }
      writer.end_chunk();
    }
    writer.finish();
    EXPECT_EQ(writer.bytes(), std::filesystem::file_size(path("a.mcap")));
  }
  [[nodiscard]] std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(path("a.mcap")).rdbuf();
    return text.str();
  }
  McapEnd read(const std::string& bytes) {
    std::ofstream(path("b.mcap")) << bytes;
    messages_.clear();
    return read_mcap(path("b.mcap"), [this](const McapMessage& message) {
      messages_.push_back(message.channel.topic + " " + std::to_string(message.at.count()) + " " +
                          std::string(message.data));
    });
  }

  std::vector<std::string> messages_;

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("hilgate-mcap-" + std::to_string(::getpid()));
};

TEST_F(McapTest, WrittenDataIsReadBack) {
  write_example();
  const McapEnd end = read(bytes());
  EXPECT_TRUE(end.whole) << end.why;
  EXPECT_EQ(end.offset, bytes().size() - kMcapMagic.size());
  EXPECT_THAT(messages_, testing::ElementsAre("/one 0 ", "/two 1 x", "/one 2 xx", "/one 1000 ", "/two 1001 x",
                                              "/one 1002 xx", "/one 2000 ", "/two 2001 x", "/one 2002 xx"));
}

TEST_F(McapTest, CutAnywhereItIsReadToItsLastWholeChunk) {
  write_example();
  const std::string whole = bytes();
  std::size_t most = 0;
  for (std::size_t length = kMcapMagic.size(); length + kMcapMagic.size() < whole.size(); ++length) {
    const McapEnd end = read(whole.substr(0, length));
    ASSERT_FALSE(end.whole) << length;
    ASSERT_FALSE(end.why.empty());
    ASSERT_LE(end.offset, length);
    ASSERT_EQ(messages_.size() % 3, 0U) << length;
    ASSERT_GE(messages_.size(), most) << "more bytes, fewer messages";
    most = messages_.size();
  }
  EXPECT_EQ(most, 9U);
}

TEST_F(McapTest, ADamagedChunkIsNotRead) {
  write_example();
  const std::string whole = bytes();
  const std::string_view compression = "zstd";
  std::size_t third = 0;
  for (int chunk = 0; chunk < 3; ++chunk) {
    third = whole.find(compression, third) + compression.size();
  }
  std::string damaged = whole;
  damaged[third + 8 + 20] =
      static_cast<char>(damaged[third + 8 + 20] ^ 1);  // after the number of bytes, in the compressed ones
  const McapEnd end = read(damaged);
  EXPECT_FALSE(end.whole);
  EXPECT_EQ(end.why, "a chunk is damaged");
  EXPECT_EQ(messages_.size(), 6U);
  for (std::size_t i = kMcapMagic.size(); i < whole.size(); i += 3) {  // whatever it is that is damaged
    damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    try {
      read(damaged);
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("is compressed by"));
    }
    ASSERT_LE(messages_.size(), 9U);
  }
}

TEST_F(McapTest, OtherFormatsAreRefused) {
  EXPECT_THROW(read("no MCAP file at all"), std::runtime_error);
  EXPECT_THROW(read(""), std::runtime_error);
  EXPECT_THROW(read_mcap(path("nothing"), [](const McapMessage&) {}), PlainFileError);
}

// The specification's layout, byte by byte: magic, header, and the beginning of the first chunk.
TEST_F(McapTest, FollowsTheFormat) {
  write_example();
  const std::string whole = bytes();
  const std::string header(std::string("\x01\x11\0\0\0\0\0\0\0\0\0\0\0\x09\0\0\0", 17) + "a program");
  EXPECT_EQ(whole.substr(8, header.size()), header);
  EXPECT_EQ(whole[8 + header.size()], '\x06');
  EXPECT_EQ(whole.substr(whole.size() - 8), kMcapMagic);
  EXPECT_EQ(whole.substr(whole.size() - 8 - 29, 9), std::string("\x02\x14\0\0\0\0\0\0\0", 9)) << "footer of 20 bytes";
}

}  // namespace
}  // namespace hilgate::test
