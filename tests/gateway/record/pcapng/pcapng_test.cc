// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/pcapng/pcapng.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gateway/record/pcapng/capture_files.h"
#include "gateway/record/pcapng/pcapng_reader.h"
#include "host/plain_file.h"

namespace hilgate::test {
namespace {

std::vector<std::string> blocks_in(const std::string& bytes) {
  std::vector<std::string> blocks;
  PcapngSplitter splitter;
  for (const char byte : bytes) {  // however the bytes come
    splitter.add({&byte, 1}, [&](std::string_view block) { blocks.emplace_back(block); });
  }
  return blocks;
}

std::string packet(std::size_t length) {
  std::string block;
  const std::vector<std::byte> bytes(length, std::byte{0x55});
  append_packet(block, {.at = {1}, .length = static_cast<std::uint32_t>(length), .bytes = bytes, .comment = "abc"});
  return block;
}

TEST(Pcapng, BlocksHaveTheirLengthAtBothEndsIn32BitUnits) {
  std::string all;
  append_section(all, "a program", "a box", "a comment");
  append_interface(all, {.name = "red in", .description = "x", .snaplen = 100});
  for (std::size_t length = 0; length < 9; ++length) {
    all += packet(length);
  }
  append_statistics(all, {.dropped = 7});
  const auto blocks = blocks_in(all);
  ASSERT_EQ(blocks.size(), 12U);
  for (const std::string& block : blocks) {
    EXPECT_EQ(block.size() % 4, 0U);
    EXPECT_EQ(block.substr(4, 4), block.substr(block.size() - 4));
  }
  EXPECT_EQ(statistics_dropped(blocks.back()), 7U);
}

// draft-ietf-opsawg-pcapng, 4.3: the bytes of a block with every option that we write.
TEST(Pcapng, PacketFollowsTheFormat) {
  std::string block;
  const std::byte bytes[] = {std::byte{1}, std::byte{2}, std::byte{3}};
  append_packet(block, {.interface = 2,
                        .at = {0x1122334455667788},
                        .length = 60,
                        .bytes = bytes,
                        .outbound = true,
                        .dropped = 5,
                        .id = 9,
                        .comment = "hey"});
  const auto words = [](std::initializer_list<std::uint32_t> list) {
    std::string text;
    for (const std::uint32_t word : list) {
      text.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
    return text;
  };
  EXPECT_EQ(block, words({6,          100,        2, 0x11223344, 0x55667788, 3, 60, 0x00030201,  //
                          0x00030001, 0x00796568,                                                // comment
                          0x00040002, 2,                                                         // flags: outbound
                          0x00080004, 5,          0,                                             // dropcount
                          0x00080005, 9,          0,                                             // packetid
                          0,          100})
                       .replace(4, 4, words({static_cast<std::uint32_t>(block.size())}))
                       .replace(block.size() - 4, 4, words({static_cast<std::uint32_t>(block.size())})));
}

TEST(PcapngReader, ReadsUpToTheLastCompleteBlock) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "hilgate-pcapng-reader";
  std::string all;
  append_section(all, "a program", "a box", "a comment");
  append_interface(all, {.name = "red in"});
  append_interface(all, {.name = "blue out"});
  const std::byte bytes[] = {std::byte{1}, std::byte{2}, std::byte{3}};
  append_packet(all, {.interface = 1,
                      .at = {1'122'334'455'667'788'991},
                      .length = 60,
                      .bytes = bytes,
                      .outbound = true,
                      .dropped = 5,
                      .id = 9,
                      .comment = "red>blue x=1"});
  append_statistics(all, {});
  const std::size_t whole = all.size();
  all += packet(7);
  for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, std::size_t{30}}) {
    std::ofstream(file) << all.substr(0, all.size() - cut);
    PcapngReader reader(file);
    CapturedFrame frame;
    ASSERT_TRUE(reader.next(frame));
    EXPECT_EQ(frame.interface, "blue out");
    EXPECT_EQ(frame.at.nanoseconds, 1'122'334'455'667'788'991U);
    EXPECT_EQ(frame.length, 60U);
    EXPECT_TRUE(std::ranges::equal(frame.bytes, bytes));
    EXPECT_EQ(frame.dropped, 5U);
    EXPECT_EQ(frame.id, 9U);
    EXPECT_EQ(frame.comment, "red>blue x=1");
    EXPECT_EQ(reader.next(frame), cut == 0);
    EXPECT_FALSE(reader.next(frame));
    EXPECT_EQ(reader.cut(), cut != 0);
    EXPECT_EQ(reader.readable(), cut == 0 ? all.size() : whole);
  }
  std::ofstream(file) << "something else";
  EXPECT_THROW(PcapngReader{file}, std::runtime_error);
  std::filesystem::remove(file);
  EXPECT_THROW(PcapngReader{file}, PlainFileError);
}

TEST(Pcapng, OtherFormatsAreRefused) {
  PcapngSplitter splitter;
  const std::string text = "this is some other file";
  EXPECT_THROW(splitter.add(text, [](std::string_view) {}), std::runtime_error);
}

TEST(Pcapng, EveryFileOfARingBeginsWithTheInterfaces) {
  const auto folder = std::filesystem::temp_directory_path() / ("hilgate-pcapng-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string head;
  append_section(head, "a", "b", "");
  append_interface(head, {.name = "one"});
  {
    CaptureFiles files({.file = folder / "x.pcapng", .ring_bytes = 2000, .ring_files = 3});
    for (const std::string& block : blocks_in(head)) {
      files.write(block);
    }
    for (unsigned i = 0; i < 100; ++i) {
      files.write(packet(100));
    }
    files.flush();
  }
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_THAT(text, testing::StartsWith(head));
    EXPECT_LE(text.size(), 2000U);
    EXPECT_GT(blocks_in(text).size(), 2U);
  }
  EXPECT_EQ(names.size(), 3U);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hilgate::test
