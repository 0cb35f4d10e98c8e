// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/link_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "gateway/status/model/value_text.h"
#include "gateway/views/top/text_table.h"

namespace hilgate {
namespace {

constexpr std::size_t kLongestName = 31;
constexpr std::size_t kShortestNote = 13;
constexpr std::size_t kShortestName = 8;
constexpr double kNobody = std::numeric_limits<double>::infinity();

struct ColumnLook {
  LinkColumn column;
  const char* name;
  std::size_t width;
  std::string (*text)(const SeenLink&);
  double (*value)(const SeenLink&);  // by which it is sorted; kNobody without a radio
  bool most_first;
};

Known when_known(bool known, double value) {
  return known ? Known(value) : std::nullopt;
}

// In the order in which columns get room.
constexpr std::array<ColumnLook, kLinkColumns - 1> kColumns = {{
    {LinkColumn::kLoss, "loss", 6, [](const SeenLink& link) { return percent_text(link.loss); },
     [](const SeenLink& link) { return link.loss + (link.busy ? 2 : 0); },
     true},  // what nobody uses comes last, lost or not
    {LinkColumn::kSnr, "SNR", 8,
     [](const SeenLink& link) {
       return link.reachable && link.has_radio() ? decibel_text(link.snr_db) : std::string("-");
     },
     [](const SeenLink& link) { return link.has_radio() ? link.snr_db : kNobody; }, false},
    {LinkColumn::kRate, "rate", 11,
     [](const SeenLink& link) {
       return bit_rate_text(when_known(link.reachable && link.rate_mbps > 0, 1e6 * link.rate_mbps));
     },
     [](const SeenLink& link) { return link.rate_mbps; }, false},
    {LinkColumn::kGoodput, "through", 11, [](const SeenLink& link) { return bit_rate_text(link.goodput); },
     [](const SeenLink& link) { return link.goodput.value_or(0); }, true},
    {LinkColumn::kDelay, "delay", 8,
     [](const SeenLink& link) { return micros_text(when_known(link.reachable, link.delay_us)); },
     [](const SeenLink& link) { return link.delay_us; }, true},
    {LinkColumn::kMeasuredDelay, "met delay", 9,
     [](const SeenLink& link) { return micros_text(link.measured_delay_us); },
     [](const SeenLink& link) { return link.measured_delay_us.value_or(0); }, true},
    {LinkColumn::kQueue, "queue", 6, [](const SeenLink& link) { return count_text(static_cast<double>(link.queue)); },
     [](const SeenLink& link) { return static_cast<double>(link.queue); }, true},
    {LinkColumn::kFrames, "frames/10s", 11,
     [](const SeenLink& link) { return count_text(static_cast<double>(link.decided)); },
     [](const SeenLink& link) { return static_cast<double>(link.decided); }, true},
    {LinkColumn::kPower, "power", 10,
     [](const SeenLink& link) {
       return number_text(when_known(link.reachable && link.has_radio(), link.rssi_dbm), "dBm");
     },
     [](const SeenLink& link) { return link.has_radio() ? link.rssi_dbm : kNobody; }, false},
    {LinkColumn::kTries, "tries lost", 11, [](const SeenLink& link) { return number_text(link.tries); },
     [](const SeenLink& link) { return link.tries.value_or(0); }, true},
}};

const ColumnLook& look_of(LinkColumn column) {
  return *std::ranges::find(kColumns, column, &ColumnLook::column);
}

// What stands out, in a few words.
std::string note_of(const SeenLink& link) {
  std::string note;
  if (!link.reachable) {
    return "out of reach";
  }
  if (link.heard_only()) {
    note = "heard only";
  } else if (!link.line_of_sight) {
    note = "no sight";
  }
  const auto most = std::ranges::max_element(link.drops, {}, [](const auto& drop) { return drop.second; });
  if (most != link.drops.end()) {
    note += (note.empty() ? "" : ", ") + most->first;
  }
  return note;
}

bool is_sooner(const SeenLink& one, const SeenLink& other, LinkColumn column) {
  if (column == LinkColumn::kName) {
    return link_text(one) < link_text(other);
  }
  const ColumnLook& look = look_of(column);
  return look.most_first ? look.value(one) > look.value(other) : look.value(one) < look.value(other);
}

}  // namespace

std::string column_name(LinkColumn column) {
  return column == LinkColumn::kName ? "link" : look_of(column).name;
}

Grade grade_of(const SeenLink& link) {
  constexpr double kLossy = 0.05;
  constexpr double kDead = 0.6;
  return link.loss >= kDead ? Grade::kBad : link.loss >= kLossy ? Grade::kDoubtful : Grade::kGood;
}

Ink ink_of(Grade grade) {
  return grade == Grade::kBad ? Ink::kBad : grade == Grade::kDoubtful ? Ink::kDoubtful : Ink::kGood;
}

std::string link_text(const SeenLink& link) {
  return link.counts.from + " -> " + link.counts.to;
}

std::vector<const SeenLink*> shown_links(const SeenRun& run, const TopView& view) {
  std::vector<const SeenLink*> shown;
  for (const SeenLink& link : run.links) {
    if (has_text(link_text(link) + " " + note_of(link), view.filter)) {
      shown.push_back(&link);
    }
  }
  std::ranges::stable_sort(shown, [&view](const SeenLink* one, const SeenLink* other) {
    return view.reversed ? is_sooner(*other, *one, view.sort) : is_sooner(*one, *other, view.sort);
  });
  return shown;
}

LinkRows::LinkRows(const std::vector<const SeenLink*>& links, std::size_t columns) {
  name_width_ = columns_of("link") + 2;
  for (const SeenLink* link : links) {
    name_width_ = std::max(name_width_, columns_of(link_text(*link)));
  }
  // The first column stays on every screen; names give way to it, and notes to both.
  const std::size_t first = 1 + kColumns.front().width;
  const std::size_t for_names = std::max(kShortestName, columns > first ? columns - first : 0);
  name_width_ = std::min({name_width_, kLongestName, for_names});
  std::size_t used = name_width_ + first;
  shown_.push_back(kColumns.front().column);
  for (const ColumnLook& look : std::span(kColumns).subspan(1)) {
    if (used + 1 + look.width + 2 + kShortestNote > columns) {
      break;
    }
    used += 1 + look.width;
    shown_.push_back(look.column);
  }
  note_width_ = columns >= used + 2 + kShortestNote ? columns - used - 2 : 0;
}

PageLine LinkRows::heading(const TopView& view) const {
  const auto title = [&view](LinkColumn column) {
    return column_name(column) + (view.sort != column ? "" : view.reversed ? "^" : "v");
  };
  const auto ink = [&view](LinkColumn column) { return view.sort == column ? Ink::kStrong : Ink::kDim; };
  PageLine line{{{padded(title(LinkColumn::kName), name_width_), ink(LinkColumn::kName)}}};
  for (const LinkColumn column : shown_) {
    line.words.push_back({" " + padded(title(column), look_of(column).width, true), ink(column)});
  }
  if (note_width_ > 0) {
    line.words.push_back({"  " + padded("note", note_width_), Ink::kDim});
  }
  return line;
}

PageLine LinkRows::row(const SeenLink& link) const {
  const Ink rest = link.busy ? Ink::kPlain : Ink::kDim;
  PageLine line{{{padded(link_text(link), name_width_), rest}}};
  for (const LinkColumn column : shown_) {
    const ColumnLook& look = look_of(column);
    line.words.push_back(
        {" " + padded(look.text(link), look.width, true), column == LinkColumn::kLoss ? ink_of(grade_of(link)) : rest});
  }
  if (note_width_ > 0) {
    line.words.push_back({"  " + clipped(note_of(link), note_width_), rest});
  }
  return line;
}

}  // namespace hilgate
