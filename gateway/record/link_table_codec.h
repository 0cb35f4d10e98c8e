// SPDX-License-Identifier: Apache-2.0
// Messages of link tables: of each only the links that differ from the table before.
//
//   window, sim time in ns (signed), 1 for a whole table or 0; of a whole table the number of ends
//   number of links that differ; of each: places since the one before (the first: its place + 1), a byte with a bit for
//   each field that differs (LinkCodes::Field), then for each of these the difference (signed); behind them, where
//   hazards of repeats differ, their three differences: their bit is that of kAckLoss
//   number of robots whose attachment differs; of each: robot, state, access point + 1, or 0 for none
//
// All are varints but the bytes. A whole table differs from one whose numbers are all 0. Of a link whose sender has the
// greater number, the numbers are differences from those of the way back, which is most often the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/record/link_codes.h"
#include "netsim_link/link_state.h"

namespace hilgate {

class LinkTableEncoder {
 public:
  /// The next table is whole.
  void restart() { whole_ = true; }
  [[nodiscard]] std::string encode(const LinkTable& table);

 private:
  bool whole_ = true;
  std::vector<LinkCodes> links_;    // as they are
  std::vector<LinkCodes> written_;  // as they were written: differences, some of them
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
  void use(std::size_t link);

  std::vector<LinkCodes> codes_;  // as they are written
  std::size_t ends_ = 0;
  std::vector<std::size_t> changed_, moved_;
  LinkTable table_;
};

}  // namespace hilgate
