// SPDX-License-Identifier: Apache-2.0
// What `hilgate top` shows of status documents that are made here, and what keys change of it.
#include "gateway/views/top/top_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <string>

#include "gateway/views/top/link_rows.h"
#include "gateway/views/top/seen_run.h"
#include "gateway/views/top/text_table.h"
#include "gateway/views/top/top_keys.h"

namespace hilgate::test {
namespace {

std::string text_of(const PageLine& line) {
  std::string text;
  for (const Words& words : line.words) {
    text += words.text;
  }
  return text;
}

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

constexpr ScreenSize kSmall{.columns = 80, .rows = 24};
constexpr ScreenSize kWide{.columns = 160, .rows = 50};

struct LinkSpec {
  std::string from, to;
  int arrived = 0, lost = 0;  // a second
  double frame_loss = 0.001;
  bool reachable = true, line_of_sight = true;
  std::vector<std::string> reasons{};
};

Json link_json(const LinkSpec& link, int second) {
  return {{"from", link.from},
          {"to", link.to},
          {"reachable", link.reachable},
          {"line_of_sight", link.line_of_sight},
          {"rssi_dbm", -60.5},
          {"snr_db", 25.25},
          {"rate_mbps", 65.0},
          {"frame_loss", link.frame_loss},
          {"delay_us", 34.0},
          {"reasons", link.reasons},
          {"in", second * (link.arrived + link.lost)},
          {"released", second * link.arrived},
          {"bytes_released", second * link.arrived * 1250},
          {"failed_tries", 3 * second * link.lost},
          {"dropped", link.lost == 0 ? Json::object() : Json{{"retries_spent", second * link.lost}}}};
}

Json status_json(const std::vector<LinkSpec>& links, int second) {
  Json list = Json::array();
  int in = 0;
  int out = 0;
  for (const LinkSpec& link : links) {
    list.push_back(link_json(link, second));
    in += second * (link.arrived + link.lost);
    out += second * link.arrived;
  }
  const auto robot = [](const char* name, double x) {
    return Json{{"name", name}, {"port", name}, {"unplugged", false}, {"position", {x, 0.0, 1.0}}};
  };
  const Json port{{"name", "red"},      {"interface", "hg-red"},  {"state", "no carrier"}, {"problem", "no carrier"},
                  {"driver", "af_xdp"}, {"mode", "native, copy"}, {"lost_at_capture", 0},  {"lost_at_sending", 0}};
  const Json simulator{{"name", "physics"}, {"round_trip_p50_us", 120.0}, {"late_share", 0.25}, {"missed", 3}};
  return {{"run", "yard"},
          {"uptime_s", 100.0 + second},
          {"conditions", Json::array()},
          {"assignments", {"links.red.*.delay=5ms"}},
          {"totals", {{"in", in}, {"out", out}, {"balanced", true}, {"dropped", {{"retries_spent", in - out}}}}},
          {"ports", {port}},
          {"robots", {robot("red", 0), robot("blue", 30), robot("green", 60)}},
          {"links", list},
          {"window", {{"length_us", 1000.0}, {"sim_time_s", 101.0}, {"pace", "wall"}, {"simulators", {simulator}}}},
          {"clock", {{"source", "none"}, {"state", "free"}}}};
}

// As ten seconds of such a run leave it.
SeenRun seen(const std::vector<LinkSpec>& links, const Json& patch = Json::object()) {
  RunMemory memory;
  SeenRun run;
  for (int second = 1; second <= 12; ++second) {
    Json status = status_json(links, second);
    status.merge_patch(patch);
    run = memory.add(RunMemory::Time(std::chrono::seconds(second)), status);
  }
  return run;
}

const std::vector<LinkSpec> kLinks = {{"red", "blue", 50, 0},
                                      {"blue", "red", 40, 10},
                                      {"green", "red", 0, 0, 1.0, false, false},
                                      {"red", "green", 5, 45}};

std::vector<std::string> texts(const TopPage& page) {
  std::vector<std::string> all;
  for (const PageLine& line : page.lines) {
    all.push_back(text_of(line));
  }
  return all;
}

std::string joined_text(const TopPage& page) {
  std::string all;
  for (const std::string& text : texts(page)) {
    all += text + "\n";
  }
  return all;
}

// After these keys, one after the other.
std::string after(const SeenRun& run, const std::vector<Key>& keys, TopView& view, ScreenSize size = kSmall) {
  for (const Key key : keys) {
    EXPECT_TRUE(press(key, view, top_page(run, view, size)));
  }
  return joined_text(top_page(run, view, size));
}

std::string after(const SeenRun& run, const std::vector<Key>& keys, ScreenSize size = kSmall) {
  TopView view;
  return after(run, keys, view, size);
}

TEST(TopPage, FitsTheScreenWhateverItsSize) {
  const SeenRun run = seen(kLinks);
  for (const bool detail : {false, true}) {
    for (std::size_t columns = 1; columns < 200; columns += 7) {
      for (std::size_t rows = 1; rows < 60; rows += 6) {
        TopView view;
        view.link = LinkName{"red", "green"};
        view.detail = detail;
        const TopPage page = top_page(run, view, {.columns = columns, .rows = rows});
        EXPECT_EQ(page.lines.size(), rows);
        for (const PageLine& line : page.lines) {
          EXPECT_LE(columns_of(text_of(line)), columns);
        }
      }
    }
  }
}

TEST(TopPage, FirstLineNamesTheProblem) {
  const auto first = [](const SeenRun& run) { return texts(top_page(run, {}, kSmall)).front(); };
  EXPECT_EQ(first(seen({kLinks[0]})), "all is well; 50 frames delivered in the last second");
  EXPECT_EQ(first(seen({{"red", "blue"}})), "all is well; no robot sends anything");
  const auto with = [](const Json& findings) { return seen(kLinks, {{"findings", findings}}); };
  EXPECT_THAT(first(with({{{"grade", "bad"}, {"text", "physics is late"}}, {{"grade", "note"}, {"text", "else"}}})),
              StartsWith("! physics is late "));
  EXPECT_THAT(first(with({{{"grade", "doubtful"}, {"text", "blue -> red: frames are lost (20 %)"}}})),
              StartsWith("! blue -> red: frames are lost (20 %) "));
  EXPECT_EQ(first(with({{{"grade", "note"}, {"text", "two media"}}})), "two media");
}

TEST(TopPage, StoppedGatewayIsAwaited) {
  SeenRun run;
  EXPECT_THAT(joined_text(top_page(run, {}, kSmall)), StartsWith("! waiting for the gateway's first answer"));
  run = seen(kLinks);
  run.problem = "the gateway is not running";
  run.problem_s = 7;
  const std::string page = joined_text(top_page(run, {}, kSmall));
  EXPECT_THAT(page, StartsWith("! no answer for 7 s: the gateway is not running; waiting for it"));
  EXPECT_THAT(page, HasSubstr("red -> green"));  // the last that is known of it
}

TEST(TopPage, ARunThatStartsAgainCountsAnew) {
  RunMemory memory;
  static_cast<void>(memory.add(RunMemory::Time(1s), status_json(kLinks, 9)));
  Json again = status_json(kLinks, 1);
  again["uptime_s"] = 1.0;
  const SeenRun run = memory.add(RunMemory::Time(2s), again);
  EXPECT_EQ(run.out + run.lost, 0U);
  EXPECT_FALSE(run.links[0].busy);
}

TEST(TopPage, LinksAreSortedByTheirLoss) {
  const SeenRun run = seen(kLinks);
  const TopPage page = top_page(run, {}, kSmall);
  // The one that nobody uses comes after those that are used.
  EXPECT_EQ(page.links, (std::vector<LinkName>{{"red", "green"}, {"blue", "red"}, {"red", "blue"}, {"green", "red"}}));
  const std::string text = joined_text(page);
  EXPECT_THAT(text, ContainsRegex("link +lossv +SNR +rate +through +delay +note"));
  EXPECT_THAT(text, ContainsRegex("red -> green +90 % +25.2 dB +65 Mbit/s +50 kbit/s +34 us  retries_spent"));
  EXPECT_THAT(text, ContainsRegex("green -> red +100 % +- +- +0 bit/s +-  out of reach"));
  EXPECT_THAT(joined_text(top_page(run, {}, kWide)), ContainsRegex("frames/10s +power +tries lost  note"));
}

TEST(TopPage, UnusedLinksAreLastEvenAtFullLoss) {
  const SeenRun run = seen({{"green", "red", 0, 0, 1.0, false, false}, {"red", "blue", 50, 0}, {"blue", "red", 49, 1}});
  const auto shown = shown_links(run, TopView{});
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_EQ(link_text(*shown[0]), "blue -> red");
  EXPECT_EQ(link_text(*shown[1]), "red -> blue");
  EXPECT_EQ(link_text(*shown[2]), "green -> red");
}

TEST(TopPage, OnANarrowScreenTheLossStaysAndNotesGo) {
  for (const std::size_t columns : {20UL, 30UL, 40UL}) {
    const SeenRun run = seen({{"quadcopter-number-one", "groundstation", 5, 45}});
    const LinkRows rows(shown_links(run, TopView{}), columns);
    EXPECT_THAT(text_of(rows.heading(TopView{})), AllOf(HasSubstr("loss"), Not(HasSubstr("note")))) << columns;
    EXPECT_THAT(text_of(rows.row(run.links[0])), HasSubstr("90 %")) << columns;
    EXPECT_LE(columns_of(text_of(rows.row(run.links[0]))), columns);
  }
}

TEST(TopPage, KeysSortAndTurnTheOrder) {
  const SeenRun run = seen(kLinks);
  TopView view;
  EXPECT_THAT(after(run, {Key{'<'}}, view), HasSubstr("linkv"));
  EXPECT_EQ(top_page(run, view, kSmall).links.front(), (LinkName{"blue", "red"}));
  EXPECT_THAT(after(run, {Key{'r'}}, view), HasSubstr("link^"));
  EXPECT_EQ(top_page(run, view, kSmall).links.front(), (LinkName{"red", "green"}));
  EXPECT_THAT(after(run, {Key::kRight, Key::kRight}, view), HasSubstr("SNR^"));
}

TEST(TopPage, AFilterKeepsLinksThatHaveTheText) {
  const SeenRun run = seen(kLinks);
  TopView view;
  EXPECT_THAT(after(run, {Key{'/'}, Key{'B'}, Key{'l'}, Key{'x'}, Key::kBackspace, Key{'q'}, Key::kBackspace}, view),
              AllOf(HasSubstr("only lines with: bl_"), HasSubstr("red -> blue"), Not(HasSubstr("\nred -> green"))));
  EXPECT_THAT(after(run, {Key::kEnter}, view), HasSubstr("with 'bl'"));
  EXPECT_THAT(after(run, {Key::kEscape}, view), AllOf(Not(HasSubstr("with '")), HasSubstr("\ngreen -> red")));
  EXPECT_THAT(after(run, {Key{'/'}, Key{'z'}, Key{'z'}}, view), HasSubstr("No link has this text"));
}

TEST(TopPage, LinkShowsItsReasons) {
  const SeenRun run = seen({{"red", "blue", 50, 0},
                            {.from = "red",
                             .to = "green",
                             .arrived = 5,
                             .lost = 45,
                             .reasons = {"Set by hand: links.red.*.delay=5ms", "Weak: at 25.2 dB SNR."}},
                            {.from = "green", .to = "red", .frame_loss = 1}});
  const std::string page = after(run, {Key::kEnter});
  EXPECT_THAT(page, HasSubstr("Link red -> green: 10 % of 500 frames of the last ten seconds arrived."));
  EXPECT_THAT(page, HasSubstr("- Set by hand: links.red.*.delay=5ms"));
  EXPECT_THAT(page, HasSubstr("- Weak: at 25.2 dB SNR."));
  EXPECT_THAT(page, ContainsRegex("retries_spent +#{18}\\.\\. +90 % +450"));
  EXPECT_THAT(page, HasSubstr("bit errors in the last try, too"));
  EXPECT_THAT(page, ContainsRegex("on the air +#+\\.+ +186 us"));
  TopView view;
  EXPECT_THAT(after(run, {Key::kEnter, Key{'x'}}, view),
              AllOf(HasSubstr("Link green -> red"), HasSubstr("- Nothing is wrong with this link.")));
  EXPECT_THAT(after(run, {Key{'p'}}, view), HasSubstr("Link red -> blue"));
  EXPECT_THAT(after(run, {Key::kEscape}, view), HasSubstr("[1 links]"));
}

TEST(TopPage, TheChosenLinkStaysChosenWhileOthersPassIt) {
  std::vector<LinkSpec> many;
  for (int i = 0; i < 100; ++i) {
    many.push_back({fmt::format("robot{:02}", i), "base", 10, i / 2});
  }
  TopView view;
  EXPECT_THAT(after(seen(many), {Key::kEnd}, view), Not(HasSubstr("robot99")));
  EXPECT_EQ(view.link, (LinkName{"robot01", "base"}));
  EXPECT_THAT(after(seen(many), {Key{'r'}}, view), HasSubstr("robot01"));
  EXPECT_THAT(after(seen(many), {Key::kHome, Key::kDown, Key::kPageDown}, view), HasSubstr("robot20"));
}

TEST(TopPage, OtherPanels) {
  const SeenRun run = seen(kLinks);
  EXPECT_THAT(after(run, {Key{'2'}}), AllOf(ContainsRegex("red +hg-red +af_xdp, native, copy +0 +0 +no carrier"),
                                            ContainsRegex("green +green +60.0, 0.0, 1.0")));
  EXPECT_THAT(after(run, {Key{'3'}}), ContainsRegex("physics +answers in 120 us, .*; late 25 %, missed 3"));
  EXPECT_THAT(after(run, {Key::kTab, Key::kTab, Key::kTab}), ContainsRegex("clock +none, free"));
  EXPECT_THAT(after(run, {Key{'5'}}), AllOf(HasSubstr("Nothing is wrong"), HasSubstr("set: links.red.*.delay=5ms")));
  EXPECT_THAT(after(run, {Key{'?'}}), HasSubstr("sort the other way round"));
  EXPECT_THAT(after(run, {Key{'?'}, Key{'z'}}), HasSubstr("[1 links]"));
}

TEST(TopPage, QEndsIt) {
  TopView view;
  EXPECT_FALSE(press(Key{'q'}, view, {}));
}

TEST(TopPage, NothingThatATerminalObeysIsShown) {
  const SeenRun run =
      seen(kLinks, {{"findings", {{{"grade", "bad"}, {"text", "radio \033[2Jcalls \xC3\xA9t\xC3\xA9\a"}}}}});
  EXPECT_THAT(texts(top_page(run, {}, kSmall)).front(), StartsWith("! radio ?[2Jcalls \xC3\xA9t\xC3\xA9?   "));
  EXPECT_EQ(clipped("\xC3\xA9t\xC3\xA9s", 3), "\xC3\xA9t~");
}

TEST(TopPage, ADocumentOfAnotherVersionIsNoFault) {
  RunMemory memory;
  const SeenRun run = memory.add(RunMemory::Time(1s), Json::object());
  for (const char key : {'1', '2', '3', '4', '5'}) {
    EXPECT_THAT(after(run, {static_cast<Key>(key)}), StartsWith("all is well"));
  }
}

}  // namespace
}  // namespace hilgate::test
