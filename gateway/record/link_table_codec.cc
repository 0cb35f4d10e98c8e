// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/link_table_codec.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gateway/record/varint.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kMostEnds = 1024;  // so that a damaged file costs no more memory than a large run

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
  if (whole_) {
    append_varint(bytes, ends_of(table.links.size()));
  }
  append_links(table, bytes);
  changed_.clear();
  std::uint64_t count = 0;
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
  append_routes(table, bytes);
  whole_ = false;
  return bytes;
}

void LinkTableEncoder::append_routes(const LinkTable& table, std::string& bytes) {
  if (!table.routes || (!whole_ && table.routes == routes_)) {
    return;
  }
  routes_ = table.routes;
  const auto& next = routes_->next;
  append_varint(bytes,
                static_cast<std::uint64_t>(std::ranges::count_if(next, [](const auto& hop) { return bool{hop}; })));
  for (std::size_t i = 0, after = 0; i < next.size(); ++i) {
    if (next[i]) {
      append_varint(bytes, i - after);
      append_varint(bytes, next[i].value().value());
      after = i + 1;
    }
  }
}

void LinkTableEncoder::append_links(const LinkTable& table, std::string& bytes) {
  const std::size_t ends = ends_of(table.links.size());
  changes_.clear();
  differs_.clear();
  changed_.clear();
  std::uint16_t any = 0;
  for (std::size_t i = 0, next = 0; i < links_.size(); ++i) {
    LinkCodes now = LinkCodes::of(table.links[i]);
    if (!table.links[i].reachable) {
      now.keep_errors(links_[i]);
    }
    links_[i] = now;
    const std::size_t back = way_back(i, ends);
    if (back < i) {
      now = now.minus(links_[back]);
    }
    const LinkCodes change = now.minus(written_[i]);
    written_[i] = now;
    std::uint16_t differs = 0;
    for (std::size_t k = 0; k < LinkCodes::kNumbers; ++k) {
      differs = static_cast<std::uint16_t>(differs | (change.numbers[k] != 0 ? 1U << k : 0U));
    }
    if (differs != 0) {
      append_varint(changed_, i + 1 - next);
      next = i + 1;
      changes_.push_back(change);
      differs_.push_back(differs);
      any |= differs;
    }
  }
  append_varint(bytes, changes_.size());
  bytes.append(changed_);
  for (const std::uint16_t differs : differs_) {
    append_varint(bytes, differs);
  }
  for (std::size_t k = 0; k < LinkCodes::kNumbers; ++k) {
    if ((any >> k & 1) == 0) {
      continue;
    }
    for (const LinkCodes& change : changes_) {
      if (change.numbers[k] != 0) {
        append_signed(bytes, change.numbers[k]);
      }
    }
  }
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
    table_.routes.reset();
  }
  take_links(reader);
  moved_.clear();
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    const std::uint64_t robot = reader.number();
    if (robot >= kMostEnds) {
      throw std::runtime_error("an attachment is of an unknown robot");
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
  if (!reader.empty()) {
    take_routes(reader);
  }
  return table_;
}

void LinkTableDecoder::take_routes(VarintReader& reader) {
  const auto routes = std::make_shared<MeshRoutes>();
  routes->ends = ends_;
  routes->next.resize(ends_ * ends_);
  std::uint64_t at = 0;
  for (std::uint64_t left = reader.number(); left > 0; --left, ++at) {
    const std::uint64_t step = reader.number();
    const std::uint64_t hop = reader.number();
    if (at >= routes->next.size() || step >= routes->next.size() - at || hop >= ends_) {
      throw std::runtime_error("a route is of an unknown robot");
    }
    at += step;
    routes->next[at] = RobotIndex{static_cast<std::uint32_t>(hop)};
  }
  table_.routes = routes;
}

void LinkTableDecoder::take_links(VarintReader& reader) {
  const std::uint64_t count = reader.number();
  if (count > codes_.size()) {
    throw std::runtime_error("a link table has more changes than links");
  }
  changed_.clear();
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t step = reader.number();
    if (step == 0 || step > codes_.size() - next) {
      throw std::runtime_error("a change of a link table is of no link");
    }
    next += step;
    changed_.push_back(next - 1);
  }
  differs_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    differs_.push_back(reader.number());
  }
  for (std::size_t k = 0; k < LinkCodes::kNumbers; ++k) {
    for (std::size_t i = 0; i < count; ++i) {
      if ((differs_[i] >> k & 1) != 0) {
        std::int64_t& number = codes_[changed_[i]].numbers[k];
        number = sum(number, reader.signed_number());
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (const std::size_t back = way_back(changed_[i], ends_); back > changed_[i]) {
      changed_.push_back(back);
    }
  }
  std::ranges::sort(changed_);
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  for (const std::size_t link : changed_) {
    use(link);
  }
}

void LinkTableDecoder::use(std::size_t link) {
  const std::size_t back = way_back(link, ends_);
  table_.links[link] = (back < link ? codes_[link].plus(codes_[back]) : codes_[link]).link();
}

}  // namespace hilgate
