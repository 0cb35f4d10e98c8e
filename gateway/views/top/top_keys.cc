// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/top_keys.h"

#include <algorithm>
#include <utility>

namespace hilgate {
namespace {

constexpr int kPanels = 5;
constexpr std::size_t kLongestFilter = 60;

void turn_to(TopView& view, int panel) {
  view.panel = static_cast<Panel>(panel);
  view.detail = false;
  view.scroll = 0;
}

void sort_by(TopView& view, int step) {
  const int column = (static_cast<int>(view.sort) + step + kLinkColumns) % kLinkColumns;
  view.sort = static_cast<LinkColumn>(column);
}

// The chosen link, or the first; the end without links.
std::size_t chosen_of(const TopView& view, const TopPage& shown) {
  const auto found = view.link ? std::ranges::find(shown.links, *view.link) : shown.links.end();
  return found == shown.links.end() ? 0 : static_cast<std::size_t>(found - shown.links.begin());
}

void choose(TopView& view, const TopPage& shown, std::ptrdiff_t step) {
  if (!shown.links.empty()) {
    const auto last = static_cast<std::ptrdiff_t>(shown.links.size()) - 1;
    const auto here = static_cast<std::ptrdiff_t>(chosen_of(view, shown));
    view.link = shown.links[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(here + step, 0, last))];
  }
}

void move(TopView& view, const TopPage& shown, std::ptrdiff_t step) {
  if (view.panel == Panel::kLinks && !view.detail) {
    return choose(view, shown, step);
  }
  const auto most = static_cast<std::ptrdiff_t>(shown.most_scroll);
  const auto here = static_cast<std::ptrdiff_t>(std::min(view.scroll, shown.most_scroll));
  view.scroll = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(here + step, 0, most));
}

void type(Key key, TopView& view) {
  const auto code = static_cast<std::uint32_t>(key);
  if (key == Key::kEnter) {
    view.typing = false;
  } else if (key == Key::kEscape) {
    view.typing = false;
    view.filter.clear();
  } else if (key == Key::kBackspace) {
    if (!view.filter.empty()) {
      view.filter.pop_back();
    }
  } else if (code >= ' ' && code < 0x7F && view.filter.size() < kLongestFilter) {
    const bool capital = code >= 'A' && code <= 'Z';
    view.filter += static_cast<char>(capital ? code + ('a' - 'A') : code);
  }
}

void go_back(TopView& view) {
  view.scroll = 0;
  if (!std::exchange(view.detail, false)) {
    view.filter.clear();
  }
}

void press_in_detail(Key key, TopView& view, const TopPage& shown) {
  if (key == Key{'x'}) {
    std::swap(view.link->from, view.link->to);
  } else if (key == Key{'n'}) {
    choose(view, shown, 1);
  } else if (key == Key{'p'}) {
    choose(view, shown, -1);
  } else {
    return;
  }
  view.scroll = 0;
}

void press_in_links(Key key, TopView& view, const TopPage& shown) {
  switch (key) {
    case Key::kLeft:
    case Key::kLess:
      return sort_by(view, -1);
    case Key::kRight:
    case Key::kGreater:
      return sort_by(view, 1);
    case Key::kR:
      view.reversed = !view.reversed;
      return;
    case Key::kEnter:
      choose(view, shown, 0);
      view.detail = view.link.has_value();
      view.scroll = 0;
      return;
    default:
      return;
  }
}

// Keys that do the same everywhere; false for others.
bool press_to_move(Key key, TopView& view, const TopPage& shown) {
  const auto page = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, shown.body));
  constexpr std::ptrdiff_t kFar = 1 << 20;
  switch (key) {
    case Key::kUp:
    case Key::kK:
      return move(view, shown, -1), true;
    case Key::kDown:
    case Key::kJ:
      return move(view, shown, 1), true;
    case Key::kPageUp:
      return move(view, shown, -page), true;
    case Key::kPageDown:
    case Key::kSpace:
      return move(view, shown, page), true;
    case Key::kHome:
      return move(view, shown, -kFar), true;
    case Key::kEnd:
      return move(view, shown, kFar), true;
    default:
      return false;
  }
}

}  // namespace

bool press(Key key, TopView& view, const TopPage& shown) {
  if (view.typing) {
    type(key, view);
  } else if (key == Key{'q'}) {
    return false;
  } else if (std::exchange(view.help, false)) {
    view.scroll = 0;  // any key ends it
  } else if (key == Key{'?'}) {
    view.help = true;
    view.scroll = 0;
  } else if (key == Key{'/'}) {
    view.detail = false;
    view.typing = true;
  } else if (key >= Key{'1'} && key < Key{'1' + kPanels}) {
    turn_to(view, static_cast<int>(key) - '1');
  } else if (key == Key::kTab) {
    turn_to(view, (static_cast<int>(view.panel) + 1) % kPanels);
  } else if (key == Key::kEscape || key == Key::kBackspace) {
    go_back(view);
  } else if (!press_to_move(key, view, shown) && view.panel == Panel::kLinks) {
    view.detail ? press_in_detail(key, view, shown) : press_in_links(key, view, shown);
  }
  return true;
}

}  // namespace hilgate
