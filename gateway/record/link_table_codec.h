// SPDX-License-Identifier: Apache-2.0
// Messages of link tables: of each only the links that differ from the table before.
//
//   window, sim time in ns (signed), 1 for a whole table or 0; of a whole table the number of ends
//   number of links that differ; of each: slots since the one before (the first: its slot + 1)
//   of each: a number with a bit for each of its numbers that differs (LinkCodes::numbers)
//   for each bit: of each link that has it, the difference (signed)
//   number of robots whose attachment differs; of each: robot, state, access point + 1, or 0 for none
//
// All are varints but the byte. A whole table differs from one whose numbers are all 0. Of a link whose sender has the
// greater number, the numbers are differences from those of the way back, which is most often the same. Like numbers
// stand together because zstd, which compresses the chunks of the file, then finds more of them alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/record/link_codes.h"
#include "gateway/record/varint.h"
#include "netsim_link/link_state.h"

namespace hilgate {

class LinkTableEncoder {
 public:
  /// The next table is whole.
  void restart() { whole_ = true; }
  [[nodiscard]] std::string encode(const LinkTable& table);

 private:
  void append_links(const LinkTable& table, std::string& bytes);

  bool whole_ = true;
  std::vector<LinkCodes> links_;    // as they are
  std::vector<LinkCodes> written_;  // as they were written: differences, some of them
  std::vector<LinkCodes> changes_;  // of the links of changed_, now less before
  std::vector<std::uint16_t> differs_;
  std::vector<Attachment> attachments_;
  std::string changed_;
};

class LinkTableDecoder {
 public:
  /// The table after the message. Throws std::runtime_error for a message that cannot be one.
  const LinkTable& decode(std::string_view message);
  /// The links that the last message had, by LinkIndex.
  [[nodiscard]] const std::vector<std::size_t>& changed() const { return changed_; }
  /// The robots whose attachments it had.
  [[nodiscard]] const std::vector<std::size_t>& moved() const { return moved_; }

 private:
  void take_links(VarintReader& reader);
  void use(std::size_t link);

  std::vector<LinkCodes> codes_;  // as they are written
  std::vector<std::uint64_t> differs_;
  std::size_t ends_ = 0;
  std::vector<std::size_t> changed_, moved_;
  LinkTable table_;
};

}  // namespace hilgate
