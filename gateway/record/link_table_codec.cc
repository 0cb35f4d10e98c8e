// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/link_table_codec.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gateway/record/varint.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kMostEnds = 1024;  // so that a damaged file costs no more memory than a large run

void append_link(const LinkCodes& now, const LinkCodes& before, std::string& bytes) {
  std::uint8_t differs = 0;
  for (std::size_t i = 0; i < LinkCodes::kFields; ++i) {
    differs |= static_cast<std::uint8_t>(now.fields[i] != before.fields[i] ? 1U << i : 0U);
  }
  if (now.combined != before.combined) {
    differs |= 1U << LinkCodes::kAckLoss;
  }
  bytes.push_back(static_cast<char>(differs));
  for (std::size_t i = 0; i < LinkCodes::kFields; ++i) {
    if ((differs & 1U << i) != 0) {
      append_signed(bytes, difference(now.fields[i], before.fields[i]));
    }
  }
  if ((differs & 1U << LinkCodes::kAckLoss) != 0) {
    for (std::size_t i = 0; i < now.combined.size(); ++i) {
      append_signed(bytes, difference(now.combined[i], before.combined[i]));
    }
  }
}

void read_link(VarintReader& reader, LinkCodes& link) {
  const std::uint8_t differs = reader.byte();
  for (std::size_t i = 0; i < LinkCodes::kFields; ++i) {
    if ((differs & 1U << i) != 0) {
      link.fields[i] = sum(link.fields[i], reader.signed_number());
    }
  }
  if ((differs & 1U << LinkCodes::kAckLoss) != 0) {
    for (std::int64_t& each : link.combined) {
      each = sum(each, reader.signed_number());
    }
  }
}

std::size_t ends_of(std::size_t links) {
  return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(links))));
}

std::size_t way_back(std::size_t link, std::size_t ends) {
  return link % ends * ends + link / ends;
}

}  // namespace

std::string LinkTableEncoder::encode(const LinkTable& table) {
  whole_ = whole_ || links_.size() != table.links.size() || attachments_.size() != table.attachments.size();
  if (whole_) {
    links_.assign(table.links.size(), LinkCodes{});
    written_ = links_;
    attachments_.assign(table.attachments.size(), Attachment{});
  }
  std::string bytes;
  append_varint(bytes, table.window);
  append_signed(bytes, table.at.time_since_epoch().count());
  bytes.push_back(whole_ ? 1 : 0);
  const std::size_t ends = ends_of(table.links.size());
  if (whole_) {
    append_varint(bytes, ends);
  }
  changed_.clear();
  std::uint64_t count = 0;
  for (std::size_t i = 0, next = 0; i < table.links.size(); ++i) {
    LinkCodes now = LinkCodes::of(table.links[i]);
    if (!table.links[i].reachable) {
      now.keep_errors(links_[i]);
    }
    links_[i] = now;
    if (const std::size_t back = way_back(i, ends); back < i) {
      now = now.minus(links_[back]);
    }
    if (now != written_[i]) {
      append_varint(changed_, i + 1 - next);
      next = i + 1;
      append_link(now, written_[i], changed_);
      written_[i] = now;
      ++count;
    }
  }
  append_varint(bytes, count);
  bytes.append(changed_);
  changed_.clear();
  count = 0;
  for (std::size_t i = 0; i < attachments_.size(); ++i) {
    const Attachment& now = table.attachments[i];
    if (whole_ || !(now == attachments_[i])) {
      append_varint(changed_, i);
      append_varint(changed_, static_cast<std::uint64_t>(now.state));
      append_varint(changed_, now.at ? now.at.value().value() + 1U : 0U);
      attachments_[i] = now;
      ++count;
    }
  }
  append_varint(bytes, count);
  bytes.append(changed_);
  whole_ = false;
  return bytes;
}

const LinkTable& LinkTableDecoder::decode(std::string_view message) {
  VarintReader reader(message);
  table_.window = reader.number();
  table_.at = SimTime{Nanoseconds{reader.signed_number()}};
  if (reader.byte() != 0) {
    const std::uint64_t ends = reader.number();
    if (ends > kMostEnds) {
      throw std::runtime_error("a link table has more ends than there can be");
    }
    ends_ = ends;
    codes_.assign(ends * ends, LinkCodes{});
    table_.links.assign(ends * ends, LinkCodes{}.link());
    table_.attachments.clear();
  }
  changed_.clear();
  std::uint64_t next = 0;
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    next += reader.number();
    if (next == 0 || next > codes_.size()) {
      throw std::runtime_error("a link is none of its table");
    }
    read_link(reader, codes_[next - 1]);
    changed_.push_back(next - 1);
    if (const std::size_t back = way_back(next - 1, ends_); back > next - 1) {
      changed_.push_back(back);
    }
  }
  std::ranges::sort(changed_);
  changed_.erase(std::ranges::unique(changed_).begin(), changed_.end());
  for (const std::size_t link : changed_) {
    use(link);
  }
  moved_.clear();
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    const std::uint64_t robot = reader.number();
    if (robot >= kMostEnds) {
      throw std::runtime_error("an attachment is of nobody");
    }
    if (table_.attachments.size() <= robot) {
      table_.attachments.resize(robot + 1);
    }
    Attachment& attachment = table_.attachments[robot];
    attachment.state = static_cast<AttachmentState>(std::min<std::uint64_t>(reader.number(), 2));
    const std::uint64_t at = reader.number();
    attachment.at = at > 0 ? OptionalIndex<RobotIndex>(RobotIndex{static_cast<std::uint32_t>(at - 1)})
                           : OptionalIndex<RobotIndex>{};
    moved_.push_back(robot);
  }
  return table_;
}

void LinkTableDecoder::use(std::size_t link) {
  const std::size_t back = way_back(link, ends_);
  table_.links[link] = (back < link ? codes_[link].plus(codes_[back]) : codes_[link]).link();
}

}  // namespace hilgate
