// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/count_codec.h"

#include <algorithm>
#include <stdexcept>

#include "gateway/record/varint.h"

namespace hilgate {
namespace {

using Counters = std::array<std::uint64_t, kCounterNames.size() + kDropReasons>;
static_assert(std::tuple_size_v<Counters> <= 64, "a bit for each counter");

Counters counters_of(const LinkCounts& counts) {
  Counters row{counts.deliveries, counts.released, counts.bytes_released, counts.damaged,
               counts.duplicated, counts.marked,   counts.failed_tries};
  std::ranges::copy(counts.dropped, row.begin() + kCounterNames.size());
  return row;
}

}  // namespace

std::string CountEncoder::encode(std::size_t links, const std::function<LinkCounts(std::size_t)>& counts) {
  whole_ = whole_ || before_.size() != links;
  std::string bytes(1, whole_ ? '\1' : '\0');
  if (whole_) {
    before_.assign(links, Counters{});
    append_varint(bytes, links);
    append_varint(bytes, kDropReasons);
    whole_ = false;
  }
  std::string changed;
  std::uint64_t count = 0;
  for (std::size_t i = 0, next = 0; i < links; ++i) {
    const Counters now = counters_of(counts(i));
    std::uint64_t differs = 0;
    for (std::size_t k = 0; k < now.size(); ++k) {
      differs |= std::uint64_t{now[k] != before_[i][k]} << k;
    }
    if (differs == 0) {
      continue;
    }
    ++count;
    append_varint(changed, i + 1 - next);
    next = i + 1;
    append_varint(changed, differs);
    for (std::size_t k = 0; k < now.size(); ++k) {
      if (now[k] != before_[i][k]) {
        append_signed(changed, static_cast<std::int64_t>(now[k] - before_[i][k]));
      }
    }
    before_[i] = now;
  }
  append_varint(bytes, count);
  bytes.append(changed);
  return bytes;
}

const std::vector<LinkCountsRow>& CountDecoder::decode(std::string_view message) {
  constexpr std::uint64_t kMostLinks = std::uint64_t{1024} * 1024;
  VarintReader reader(message);
  if (reader.byte() != 0) {
    const std::uint64_t links = reader.number();
    const std::uint64_t reasons = reader.number();
    if (links > kMostLinks || kCounterNames.size() + reasons > 64) {
      throw std::runtime_error("counters are of more links than there can be");
    }
    rows_.assign(links, LinkCountsRow(kCounterNames.size() + reasons));
  }
  changed_.clear();
  std::uint64_t next = 0;
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    next += reader.number();
    if (next == 0 || next > rows_.size()) {
      throw std::runtime_error("counters are of no link");
    }
    LinkCountsRow& row = rows_[next - 1];
    const std::uint64_t differs = reader.number();
    for (std::size_t k = 0; k < 64; ++k) {
      if ((differs >> k & 1) != 0) {
        row.at(k) += static_cast<std::uint64_t>(reader.signed_number());
      }
    }
    changed_.push_back(next - 1);
  }
  return rows_;
}

}  // namespace hilgate
