// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/top_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "gateway/status/model/value_text.h"
#include "gateway/views/top/link_detail.h"
#include "gateway/views/top/link_rows.h"
#include "gateway/views/top/panels.h"
#include "gateway/views/top/run_verdict.h"
#include "gateway/views/top/text_table.h"

namespace hilgate {
namespace {

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
