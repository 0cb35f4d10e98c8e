// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/top_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frame/drop_reason.h"
#include "gateway/status/model/value_text.h"
#include "gateway/views/top/link_rows.h"
#include "gateway/views/top/panels.h"
#include "gateway/views/top/seen_run.h"
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
  add_heading(lines, "Delay of a full frame while no other robot sends, computed");
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

// One link: what arrives, why not all of it, what it is like, what was dropped, and where its delay goes.
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

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 5> kPanelNames = {"1 links", "2 ports", "3 simulators", "4 clock", "5 conditions"};

void add_verdict(PageLines& head, const SeenRun& run, ScreenSize size) {
  constexpr std::size_t kRowsOfMany = 40;
  const std::size_t most = size.rows >= kRowsOfMany ? 4 : 2;
  const RunVerdict verdict = verdict_of(run);
  const bool well = verdict.grade == Grade::kGood;
  std::vector<std::string> texts = wrapped((well ? "" : "! ") + verdict.text, size.columns, 2);
  if (texts.size() > most) {
    texts.resize(most);
    texts.back() += " ...";
  }
  for (const std::string& text : texts) {
    head.push_back({{{text, ink_of(verdict.grade)}}, !well});
  }
}

std::string busiest_air(const Json& status) {
  const Json& media = part_of(status, "media");
  double most = -1;
  for (const Json& medium : media) {
    most = std::max(most, medium.value("utilisation_last_s", 0.0));
  }
  return most < 0 ? "" : "  air " + percent_text(most);
}

std::string summary_line(const SeenRun& run) {
  const Json& status = *run.status;
  const Json& window = part_of(status, "window");
  const double decided = static_cast<double>(run.out + run.lost);
  return fmt::format("{}  up {}  sim {} ({}{})  in {}/s  out {}/s  lost {}{}", status.value("run", ""),
                     clock_time_text(status.value("uptime_s", 0.0)), clock_time_text(window.value("sim_time_s", 0.0)),
                     window.value("pace", ""), part_of(status, "clock").value("paused", false) ? ", paused" : "",
                     count_text(run.in_per_s), count_text(run.out_per_s),
                     percent_text(decided > 0 ? Known(static_cast<double>(run.lost) / decided) : std::nullopt),
                     busiest_air(status));
}

PageLine tabs(const TopView& view, std::size_t conditions) {
  PageLine line;
  for (std::size_t i = 0; i < kPanelNames.size(); ++i) {
    const bool open = static_cast<std::size_t>(view.panel) == i;
    line.words.push_back(
        {(open ? "[" : " ") + std::string(kPanelNames[i]) + (open ? "] " : "  "), open ? Ink::kStrong : Ink::kDim});
  }
  if (conditions > 0) {
    line.words.push_back({fmt::format("({})", conditions), Ink::kBad});
  }
  if (!view.filter.empty() && !view.typing) {
    line.words.push_back({"  with '" + view.filter + "'", Ink::kDoubtful});
  }
  return line;
}

PageLine hints(const TopView& view) {
  if (view.typing) {
    return {{{"only lines with: ", Ink::kDim}, {view.filter + "_", Ink::kStrong}}};
  }
  if (view.help) {
    return {{{"any key: back", Ink::kDim}}};
  }
  if (view.detail) {
    return {{{"esc back  n next  p previous  x other direction  ? keys  q quit", Ink::kDim}}};
  }
  return {{{view.panel == Panel::kLinks ? "enter why is it bad?  < > sort  r reverse  / filter  ? keys  q quit"
                                        : "/ filter  ? keys  q quit",
            Ink::kDim}}};
}

/// The rows of a table that are on the page with the chosen one; pages do not move while the choice is on them.
void add_links(TopPage& page, const std::vector<const SeenLink*>& links, const TopView& view, ScreenSize size) {
  const LinkRows table(links, size.columns);
  page.lines.push_back(table.heading(view));
  if (page.body > 0) {
    --page.body;
  }
  const auto found = view.link ? std::ranges::find(page.links, *view.link) : page.links.end();
  const auto chosen = found == page.links.end() ? 0 : static_cast<std::size_t>(found - page.links.begin());
  const std::size_t first = page.body == 0 ? 0 : chosen / page.body * page.body;
  for (std::size_t i = first; i < std::min(links.size(), first + page.body); ++i) {
    page.lines.push_back(table.row(*links[i]));
    page.lines.back().reversed = i == chosen;
  }
  if (links.empty() && page.body > 0) {
    page.lines.push_back(
        {{{view.filter.empty() ? "This run has no links." : "No link has this text; / changes it.", Ink::kDim}}});
  }
}

PageLines body_of(const SeenRun& run, const TopView& view, std::size_t columns) {
  if (view.detail && view.link) {
    return link_detail(run, *view.link, columns);
  }
  switch (view.panel) {
    case Panel::kPorts:
      return port_panel(run, view.filter);
    case Panel::kSimulators:
      return simulator_panel(run);
    case Panel::kClock:
      return clock_panel(run);
    default:
      return condition_panel(run, columns);
  }
}

void add_scrolled(TopPage& page, PageLines lines, std::size_t scroll) {
  page.most_scroll = lines.size() > page.body ? lines.size() - page.body : 0;
  const std::size_t first = std::min(scroll, page.most_scroll);
  const std::size_t end = std::min(lines.size(), first + page.body);
  for (std::size_t i = first; i < end; ++i) {
    page.lines.push_back(std::move(lines[i]));
  }
}

// Cuts a line where the screen ends, and fills one that is reversed.
void fit(PageLine& line, std::size_t columns) {
  std::size_t left = columns;
  for (Words& words : line.words) {
    words.text = clipped(words.text, left);
    left -= columns_of(words.text);
  }
  if (line.reversed) {
    line.words.push_back({std::string(left, ' ')});
  }
}

}  // namespace

TopPage top_page(const SeenRun& run, const TopView& view, ScreenSize size) {
  TopPage page;
  add_verdict(page.lines, run, size);
  if (run.status != nullptr) {
    page.lines.push_back({{{summary_line(run)}}});
    page.lines.push_back(tabs(view, part_of(*run.status, "conditions").size()));
  }
  const std::vector<const SeenLink*> links = shown_links(run, view);
  for (const SeenLink* link : links) {
    page.links.push_back({link->counts.from, link->counts.to});
  }
  const std::size_t used = page.lines.size() + 1;  // and the last line
  page.body = size.rows > used ? size.rows - used : 0;
  if (view.help) {
    add_scrolled(page, help_panel(), view.scroll);
  } else if (run.status != nullptr && view.panel == Panel::kLinks && !view.detail) {
    add_links(page, links, view, size);
  } else if (run.status != nullptr) {
    add_scrolled(page, body_of(run, view, size.columns), view.scroll);
  }
  page.lines.resize(size.rows > 0 ? size.rows - 1 : 0);
  page.lines.push_back(hints(view));
  for (PageLine& line : page.lines) {
    fit(line, size.columns);
  }
  return page;
}

}  // namespace hilgate
