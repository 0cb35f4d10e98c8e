// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Its macros would take names of ours.
#define NCURSES_NOMACROS
#include <curses.h>

#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

namespace hilgate {
namespace {

constexpr int kEscapeDelay = 25;  // ms; the bytes of a key come together, also over SSH

constexpr std::array<std::pair<int, Key>, 13> kKeys = {{{KEY_UP, Key::kUp},
                                                        {KEY_DOWN, Key::kDown},
                                                        {KEY_LEFT, Key::kLeft},
                                                        {KEY_RIGHT, Key::kRight},
                                                        {KEY_PPAGE, Key::kPageUp},
                                                        {KEY_NPAGE, Key::kPageDown},
                                                        {KEY_HOME, Key::kHome},
                                                        {KEY_END, Key::kEnd},
                                                        {KEY_ENTER, Key::kEnter},
                                                        {'\r', Key::kEnter},
                                                        {KEY_BACKSPACE, Key::kBackspace},
                                                        {'\b', Key::kBackspace},
                                                        {'\n', Key::kEnter}}};

enum Colour : short { kGoodColour = 1, kDoubtfulColour, kBadColour };

attr_t look_of(Ink ink) {
  switch (ink) {
    case Ink::kDim:
      return A_DIM;
    case Ink::kStrong:
      return A_BOLD;
    case Ink::kGood:
      return static_cast<attr_t>(COLOR_PAIR(kGoodColour));
    case Ink::kDoubtful:
      return static_cast<attr_t>(COLOR_PAIR(kDoubtfulColour));
    case Ink::kBad:
      return static_cast<attr_t>(COLOR_PAIR(kBadColour)) | A_BOLD;
    default:
      return A_NORMAL;
  }
}

void use_colours() {
  if (!has_colors()) {
    return;
  }
  start_color();
  use_default_colors();
  init_pair(kGoodColour, COLOR_GREEN, -1);
  init_pair(kDoubtfulColour, COLOR_YELLOW, -1);
  init_pair(kBadColour, COLOR_RED, -1);
}

}  // namespace

Terminal::Terminal() : screen_(nullptr) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    throw std::runtime_error("top needs a terminal; `hilgate status` prints the same once, with --json for programs");
  }
  std::setlocale(LC_CTYPE, "");
  screen_ = newterm(nullptr, stdout, stdin);
  if (screen_ == nullptr) {
    const char* name = std::getenv("TERM");
    throw std::runtime_error(std::string("the terminal '") + (name == nullptr ? "" : name) +
                             "' is not known here; try TERM=xterm, or `hilgate status --watch`");
  }
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, true);
  nodelay(stdscr, true);
  set_escdelay(kEscapeDelay);
  curs_set(0);
  use_colours();
}

Terminal::~Terminal() {
  endwin();
  delscreen(screen_);
}

ScreenSize Terminal::size() const {
  return {.columns = static_cast<std::size_t>(getmaxx(stdscr)), .rows = static_cast<std::size_t>(getmaxy(stdscr))};
}

void Terminal::resize() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
    resizeterm(size.ws_row, size.ws_col);
  }
}

void Terminal::show(const PageLines& lines) {
  werase(stdscr);
  for (std::size_t row = 0; row < lines.size(); ++row) {
    wmove(stdscr, static_cast<int>(row), 0);
    for (const Words& words : lines[row].words) {
      wattrset(stdscr, static_cast<int>(look_of(words.ink) | (lines[row].reversed ? A_REVERSE : A_NORMAL)));
      waddnstr(stdscr, words.text.c_str(), -1);
    }
  }
  wrefresh(stdscr);
}

std::optional<Key> Terminal::key() {
  for (int code = wgetch(stdscr); code != ERR; code = wgetch(stdscr)) {
    for (const auto& [known, key] : kKeys) {
      if (known == code) {
        return key;
      }
    }
    if (code > 0 && code <= 0x7F) {
      return static_cast<Key>(code);
    }
  }
  return std::nullopt;
}

bool Terminal::gone() const {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  int waiting = 0;
  return ::poll(&input, 1, 0) == 1 && (::ioctl(STDIN_FILENO, FIONREAD, &waiting) != 0 || waiting == 0);
}

}  // namespace hilgate
