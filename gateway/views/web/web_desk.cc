// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/web_desk.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "config/plain_text.h"
#include "gateway/run/control/control_client.h"
#include "gateway/views/web/http_messages.h"
#include "gateway/views/web/page_answer.h"
#include "gateway/views/web/web_page.h"
#include "rf_profiles/report/radio_command.h"

namespace hilgate {
namespace {

constexpr std::size_t kMostWalls = 8;
constexpr std::size_t kLongestName = 64;
constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

double within(double value, double least, double most, const char* name) {
  if (!(value >= least && value <= most)) {
    throw std::invalid_argument(fmt::format("{} is out of range; allowed: {:g} to {:g}", name, least, most));
  }
  return value;
}

RadioCommand read_question(const nlohmann::json& asked) {
  RadioCommand command{.form = RadioCommand::Form::kJson, .name = asked.at("profile"), .folders = {}, .question = {}};
  if (command.name.empty() || command.name.size() > kLongestName ||
      command.name.find_first_not_of(kNameCharacters) != std::string::npos) {
    throw std::invalid_argument("profile is not a name");
  }
  command.question.distance_m = within(asked.at("distance_m"), 0.1, 1e8, "distance_m");
  const nlohmann::json heights = asked.value("heights_m", nlohmann::json::array({10, 10}));
  command.question.height_m = within(heights.at(0), 0, 1e6, "heights_m");
  command.question.other_height_m = within(heights.at(1), 0, 1e6, "heights_m");
  const nlohmann::json walls = asked.value("walls", nlohmann::json::array());
  if (!walls.is_array()) {
    throw std::invalid_argument("walls is not a list");
  }
  within(static_cast<double>(walls.size()), 0, kMostWalls, "number of walls");
  for (const nlohmann::json& wall : walls) {
    command.question.walls.push_back(parse_wall(wall));
  }
  return command;
}

std::string say(RadioCommand command, RadioCommand::Action action) {
  command.action = action;
  std::ostringstream said;
  std::ostringstream wrong;
  if (radio_command(command, said, wrong) != 0) {
    throw std::invalid_argument(wrong.str());
  }
  return said.str();
}

// What would be: {"profile": NAME, "distance_m": 60, "heights_m": [1, 4], "walls": ["brick:20cm"]} is answered by
// {"profile": ..., "link": ..., "range": ...}, which are what `hilgate radio show`, `link` and `plot --json` say.
// Profiles are found in `folders`, by name alone.
HttpResponse radio_answer(const std::vector<std::string>& folders, const std::string& asked) {
  try {
    RadioCommand command = read_question(nlohmann::json::parse(asked));
    command.folders = folders;
    using Action = RadioCommand::Action;
    return HttpResponse::json(fmt::format(R"({{"profile":{},"link":{},"range":{}}})", say(command, Action::kShow),
                                          say(command, Action::kLink), say(command, Action::kPlot)));
  } catch (const std::exception& error) {
    return HttpResponse::refusal(400, error.what());
  }
}

constexpr std::size_t kMostFollowers = 32;
constexpr std::chrono::seconds kRelayPatience{60};  // a change may take as long as its maps need
constexpr std::chrono::seconds kLongestCapture{600};
constexpr std::array<std::string_view, 8> kRelayed = {"set",    "get",  "reload",   "pause",
                                                      "resume", "wire", "scenario", "coverage"};
constexpr std::string_view kPlan = "/plan", kPlanImage = "/plan/image";
constexpr std::array<std::string_view, 7> kAsked = {"/events", "/history", "/world",  "/rights",
                                                    "/record", kPlan,      kPlanImage};
constexpr std::array<std::string_view, 3> kSaidMore = {"/control", "/capture", "/radio"};
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kJsonLines = "application/x-ndjson";

template <std::size_t kNames>
bool is_one_of(std::string_view name, const std::array<std::string_view, kNames>& names) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::string_view kTiles = "/tiles";

// Of "/tiles/17/69874/45982".
std::optional<TileAddress> tile_of(std::string_view path) {
  std::array<std::uint32_t, 3> numbers{};
  path.remove_prefix(kTiles.size());
  for (std::uint32_t& number : numbers) {
    if (!path.starts_with('/')) {
      return std::nullopt;
    }
    path.remove_prefix(1);
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
    if (error != std::errc{}) {
      return std::nullopt;
    }
    path.remove_prefix(static_cast<std::size_t>(end - path.data()));
  }
  return path.empty() ? std::optional(TileAddress{.zoom = numbers[0], .x = numbers[1], .y = numbers[2]}) : std::nullopt;
}

bool is_of_tiles(std::string_view path) {
  return path == kTiles || (path.starts_with(kTiles) && path[kTiles.size()] == '/');
}

// As of a report: text of strangers need not be UTF-8.
std::string about_tiles(const TileArchive& tiles) {
  return json_line(nlohmann::json{{"type", tiles.type()},
                                  {"least_zoom", tiles.least_zoom()},
                                  {"most_zoom", tiles.most_zoom()},
                                  {"attribution", tiles.attribution()}});
}

bool is_read(const HttpRequest& request) {
  return request.method == "GET";
}

}  // namespace

WebDesk::WebDesk(asio::io_context& context, const WebPage& page, WebGuard guard, MapGround ground)
    : context_(context),
      page_(page),
      guard_(std::move(guard)),
      ground_(std::move(ground)),
      world_(context,
             [this](std::function<void(std::string)> done) {
               control_call(context_, page_.control_socket, R"({"command": "world"})", kRelayPatience, std::move(done));
             }),
      radios_(context),
      followers_(kMostFollowers) {
  if (!page.record) {
    watch_.emplace(context, page.control_socket);
  }
}

bool WebDesk::may_change(const HttpVisitor& visitor) const {
  return guard_.has_token() || (!guard_.has_names() && visitor.is_operator());  // a token has been asked for before
}

void WebDesk::relay(const std::string& request, const HttpVisitor& visitor) {
  control_call(context_, page_.control_socket, request, kRelayPatience,
               [this, answer = visitor.answer](std::string text) {
                 answer(HttpResponse::json(std::move(text)));
                 watch_->hurry();
               });
}

void WebDesk::control(const HttpRequest& request, const HttpVisitor& visitor) {
  const auto asked = nlohmann::json::parse(request.body, nullptr, false);
  if (!asked.is_object() || !asked.contains("command") || !asked["command"].is_string() ||
      !is_one_of(asked["command"].get<std::string>(), kRelayed)) {
    return visitor.answer(HttpResponse::refusal(
        400, R"(Write {"command": NAME, ...}; set, get, reload, pause, resume, wire, scenario, coverage.)"));
  }
  relay(json_line(asked), visitor);
}

void WebDesk::capture(const HttpRequest& request, const HttpVisitor& visitor) {
  const auto asked = nlohmann::json::parse(request.body, nullptr, false);
  const auto seconds = asked.is_object() ? asked.value("seconds", nlohmann::json()) : nlohmann::json();
  if (!seconds.is_number_integer() || seconds < 1 || seconds > kLongestCapture.count()) {
    return visitor.answer(HttpResponse::refusal(
        400, fmt::format(R"(Write {{"seconds": 10, "links": [["red", "blue"]]}}; seconds: 1 to {}.)",
                         kLongestCapture.count())));
  }
  nlohmann::json wanted{{"command", "capture"}};
  for (const char* key : {"links", "robots", "reasons", "snaplen"}) {
    if (asked.contains(key)) {
      wanted[key] = asked[key];
    }
  }
  visitor.capture({context_, page_.control_socket, json_line(wanted), std::chrono::seconds(seconds.get<int>())});
}

void WebDesk::take(const HttpRequest& request, const HttpVisitor& visitor) {
  if (!answer_page_file(guard_, "/index.html", request, visitor)) {
    answer_data(request, visitor);
  }
}

// `/tiles`: what there is, null for nothing; `/tiles/ZOOM/X/Y`: a tile, 204 where the archive has none.
HttpResponse WebDesk::tile_answer(const std::string& path) {
  const std::optional<TileArchive>& tiles = ground_.tiles;
  if (path == kTiles) {
    return HttpResponse::json(tiles ? about_tiles(*tiles) : "null");
  }
  const auto tile = tile_of(path);
  if (!tiles || !tile) {
    return HttpResponse::refusal(404, tiles ? "A tile is /tiles/ZOOM/X/Y." : "There is nothing of this name.");
  }
  try {
    auto content = tiles->tile(*tile);
    return content ? HttpResponse{.type = std::string(tiles->type()),
                                  .body = std::make_shared<const std::string>(*std::move(content))}
                   : HttpResponse{.status = 204, .body = std::make_shared<const std::string>()};
  } catch (const std::runtime_error& error) {
    const std::string why = fmt::format("tile {}: the archive {}", path.substr(kTiles.size() + 1), error.what());
    if (!std::exchange(has_reported_tile_, true)) {
      spdlog::warn("web.tiles: {}; it stays empty, as other damaged ones do without a further line", why);
    }
    return HttpResponse::refusal(500, why);
  }
}

// `/plan`: where it is, null for none; `/plan/image`: the picture.
HttpResponse WebDesk::plan_answer(const std::string& path) const {
  const std::optional<PlanPicture>& plan = ground_.plan;
  if (path == kPlan) {
    return HttpResponse::json(plan ? about_plan(*plan) : "null");
  }
  return plan ? HttpResponse{.type = std::string(plan->type), .body = plan->bytes}
              : HttpResponse::refusal(404, "There is nothing of this name.");
}

void WebDesk::answer_data(const HttpRequest& request, const HttpVisitor& visitor) {
  if (auto refusal = guard_.refuse_data(request)) {
    return visitor.answer(std::move(*refusal));
  }
  const bool says_more = is_one_of(request.path, kSaidMore);
  const bool of_tiles = is_of_tiles(request.path);
  if (!says_more && !of_tiles && !is_one_of(request.path, kAsked)) {
    return visitor.answer(HttpResponse::refusal(404, "There is nothing of this name."));
  }
  if (says_more ? request.method != "POST" : !is_read(request)) {
    return visitor.answer(HttpResponse::refusal(405, says_more ? "Use POST." : "Use GET."));
  }
  if (says_more && request.content_type != kJson) {  // forms of other pages cannot send it
    return visitor.answer(HttpResponse::refusal(415, "What is sent is application/json."));
  }
  if (of_tiles) {
    return visitor.answer(tile_answer(request.path));
  }
  if (request.path == kPlan || request.path == kPlanImage) {
    return visitor.answer(plan_answer(request.path));
  }
  if (request.path == "/radio") {
    return radios_.add(
        [this, asked = request.body, answer = visitor.answer] { answer(radio_answer(page_.profile_folders, asked)); });
  }
  page_.record ? answer_of_record(request, visitor) : answer_of_run(request, visitor);
}

void WebDesk::answer_of_record(const HttpRequest& request, const HttpVisitor& visitor) const {
  if (request.path == "/record") {
    return visitor.answer({.type = std::string(kJson), .body = page_.record->about});
  }
  if (request.path == "/history") {
    return visitor.answer({.type = std::string(kJsonLines), .body = page_.record->reports});
  }
  if (request.path == "/rights") {
    return visitor.answer(HttpResponse::json(R"({"change":false})"));
  }
  visitor.answer(HttpResponse::refusal(409, "This page shows a record: there is no run that could answer."));
}

void WebDesk::answer_of_run(const HttpRequest& request, const HttpVisitor& visitor) {
  const bool captures = request.path == "/capture";
  if ((captures || request.path == "/control") && !may_change(visitor)) {
    return visitor.answer(HttpResponse::refusal(
        403,
        guard_.has_names()
            ? "Changes and captures need a token (`web.token_file`) where a proxy serves the page (`web.names`)."
            : "Changes and captures are for operators: root, the user that the gateway runs as, and members of the "
              "group 'hilgate'."));
  }
  if (captures) {
    return capture(request, visitor);
  }
  if (request.path == "/control") {
    return control(request, visitor);
  }
  if (request.path == "/record") {
    return visitor.answer(HttpResponse::json("null"));
  }
  if (request.path == "/history") {
    return visitor.answer({.type = std::string(kJsonLines), .body = watch_->history().text()});
  }
  if (request.path == "/world") {
    return world_.ask([answer = visitor.answer](const SharedQuestion::Text& text) {
      answer({.type = std::string(kJson), .body = text});
    });
  }
  if (request.path == "/rights") {
    return visitor.answer(HttpResponse::json(fmt::format(R"({{"change":{}}})", may_change(visitor))));
  }
  auto place = followers_.enter(visitor.peer(), visitor.leave);
  if (!place) {
    return visitor.answer(HttpResponse::refusal(503, "Too many browsers watch already; close one."));
  }
  visitor.follow(*watch_, std::move(place));
}

}  // namespace hilgate
