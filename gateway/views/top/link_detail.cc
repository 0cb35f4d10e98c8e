// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/link_detail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frame/drop_reason.h"
#include "gateway/status/model/value_text.h"
#include "gateway/views/top/link_rows.h"
#include "gateway/views/top/run_verdict.h"
#include "gateway/views/top/text_table.h"

namespace hilgate {
namespace {

constexpr std::size_t kNameWidth = 16;
constexpr std::size_t kBarWidth = 20;

double number_of(std::uint64_t count) {
  return static_cast<double>(count);
}

void add_heading(PageLines& lines, const std::string& text) {
  lines.push_back({{{text, Ink::kStrong}}});
}

void add_wrapped(PageLines& lines, const std::string& text, std::size_t columns, Ink ink = Ink::kPlain,
                 std::size_t indent = 2) {
  for (const std::string& each : wrapped(text, columns, indent)) {
    lines.push_back({{{each, ink}}});
  }
}

std::string summary_of(const SeenLink& link) {
  if (link.decided > 0) {
    return fmt::format("{} of {} frames of the last ten seconds arrived.",
                       percent_text(number_of(link.arrived) / number_of(link.decided)),
                       count_text(number_of(link.decided)));
  }
  return link.busy ? "Frames are on their way; none of the last ten seconds has an end yet."
                   : fmt::format("No frames in the last ten seconds. One sent now would be lost with {}.",
                                 percent_text(link.loss));
}

std::string bar_of(double share) {
  const auto filled = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kBarWidth));
  return std::string(filled, '#') + std::string(kBarWidth - filled, '.');
}

std::string meaning_of(std::string_view reason) {
  const auto found = std::ranges::find(kDropReasonTable, reason, &DropReasonRow::name);
  return found == kDropReasonTable.end() ? "" : std::string(found->text);
}

void add_drops(PageLines& lines, const SeenLink& link, std::size_t columns) {
  add_heading(lines, "Drops of the last ten seconds");
  std::vector<std::pair<std::string, std::uint64_t>> drops(link.drops.begin(), link.drops.end());
  std::ranges::stable_sort(drops, std::greater{}, [](const auto& drop) { return drop.second; });
  for (const auto& [reason, count] : drops) {
    const double share = number_of(count) / number_of(link.decided);
    const std::string counted = fmt::format("{:<{}} {} {:>6} {:>7}", reason, kNameWidth, bar_of(share),
                                            percent_text(share), count_text(number_of(count)));
    const std::string meaning = meaning_of(reason);
    lines.push_back({{{counted}}});
    if (columns_of(counted) + 2 + columns_of(meaning) <= columns) {
      lines.back().words.push_back({"  " + meaning, Ink::kDim});
    } else {
      add_wrapped(lines, "  (" + meaning + ")", columns, Ink::kDim);
    }
  }
  if (drops.empty()) {
    lines.push_back({{{"none", Ink::kDim}}});
  }
}

void add_delay(PageLines& lines, const SeenLink& link) {
  add_heading(lines, "Delay of a full frame while nobody else sends, computed");
  double sum = 0;
  const auto parts = delay_parts(link);
  for (const auto& [name, micros] : parts) {
    sum += micros;
  }
  if (!link.decodable || sum == 0) {
    lines.push_back({{{link.decodable ? "none" : "no full frame arrives", Ink::kDim}}});
    return;
  }
  for (const auto& [name, micros] : parts) {
    lines.push_back({{{fmt::format("{:<{}} {} {:>10}", name, kNameWidth, bar_of(micros / sum), micros_text(micros))}}});
  }
}

std::string configured_text(const SeenLink& link) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (link.configured_delay_us) {
    add(micros_text(link.configured_delay_us));
  }
  if (link.configured_rate_mbps) {
    add(bit_rate_text(1e6 * *link.configured_rate_mbps));
  }
  if (link.configured_loss) {
    add(percent_text(*link.configured_loss) + " lost");
  }
  return text.empty() ? "nothing" : text;
}

void add_facts(PageLines& lines, const SeenLink& link, std::size_t columns) {
  const auto measured = [&link](const std::string& text) { return link.reachable && link.has_radio() ? text : "-"; };
  const std::vector<std::pair<const char*, std::string>> facts = {
      {"SNR", measured(decibel_text(link.snr_db))},
      {link.has_radio() ? "PHY rate" : "rate",
       link.reachable && link.rate_mbps > 0 ? bit_rate_text(1e6 * link.rate_mbps) : "-"},
      {"received power", measured(number_text(link.rssi_dbm, "dBm"))},
      {"throughput", bit_rate_text(link.goodput)},
      {"lost of a try", percent_text(link.frame_loss)},
      {"tries lost", number_text(link.tries) + " a frame"},
      {"delay", micros_text(link.delay_us)},
      {"measured delay", micros_text(link.measured_delay_us)},
      {"configured", configured_text(link)},
      {"queue", fmt::format("{} of {} waiting", link.queue, link.waiting)},
      {"damaged", fmt::format("{}, duplicated {}", link.counts.damaged, link.counts.duplicated)},
      {"since the start", fmt::format("{} of {} arrived", link.counts.released, link.counts.in)}};
  constexpr std::size_t kWidth = 38;
  const std::size_t across = std::max<std::size_t>(1, columns / kWidth);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (i % across == 0) {
      lines.emplace_back();
    }
    lines.back().words.push_back({fmt::format("{:<{}} ", facts[i].first, kNameWidth), Ink::kDim});
    lines.back().words.push_back({padded(facts[i].second, kWidth - kNameWidth - 2) + " "});
  }
}

}  // namespace

PageLines link_detail(const SeenRun& run, const LinkName& name, std::size_t columns) {
  const auto found = std::ranges::find_if(
      run.links, [&name](const SeenLink& link) { return link.counts.from == name.from && link.counts.to == name.to; });
  if (found == run.links.end()) {
    return {{{{fmt::format("The link {} -> {} is gone: one of the two is no robot of this run any more.", name.from,
                           name.to),
               Ink::kBad}}}};
  }
  PageLines lines;
  lines.push_back(
      {{{"Link " + link_text(*found) + ": ", Ink::kStrong}, {summary_of(*found), ink_of(grade_of(*found))}}});
  if (found->reasons.empty()) {
    add_wrapped(lines, "- Nothing is wrong with this link.", columns);
  }
  for (const std::string& reason : found->reasons) {
    add_wrapped(lines, "- " + reason, columns);
  }
  add_facts(lines, *found, columns);
  add_drops(lines, *found, columns);
  add_delay(lines, *found);
  return lines;
}

}  // namespace hilgate
