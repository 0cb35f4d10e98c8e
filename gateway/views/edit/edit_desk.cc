// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/edit/edit_desk.h"

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "config/plain_text.h"
#include "gateway/views/web/page_answer.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kOrders = {"/change", "/text", "/undo", "/save", "/read", "/end"};
constexpr std::size_t kMostChanges = 10'000;

YamlPath read_path(const nlohmann::json& steps) {
  YamlPath path;
  for (const auto& step : steps) {
    if (step.is_string()) {
      path.emplace_back(step.get<std::string>());
    } else if (step.is_number_unsigned()) {
      path.emplace_back(step.get<std::size_t>());
    } else {
      throw std::invalid_argument("a step of a path is a key or the number of an item");
    }
  }
  return path;
}

std::vector<YamlChange> read_changes(const nlohmann::json& asked) {
  std::vector<YamlChange> changes;
  for (const auto& each : asked.at("changes")) {
    YamlChange change{.path = read_path(each.at("path")), .value = {}};
    if (!each.at("value").is_null()) {
      change.value = each["value"].get<std::string>();
    }
    changes.push_back(std::move(change));
  }
  if (changes.size() > kMostChanges) {
    throw std::invalid_argument("too many changes");
  }
  return changes;
}

HttpResponse conflict(Json answer) {
  HttpResponse response = HttpResponse::json(json_line(answer));
  response.status = 409;
  return response;
}

}  // namespace

EditDesk::EditDesk(EditedFile& file, WebGuard guard, std::function<void()> end)
    : file_(file), guard_(std::move(guard)), end_(std::move(end)) {}

void EditDesk::take(const HttpRequest& request, const HttpVisitor& visitor) {
  if (answer_page_file(guard_, "/edit.html", request, visitor)) {
    return;
  }
  if (auto refusal = guard_.refuse_data(request)) {
    return visitor.answer(std::move(*refusal));
  }
  const bool is_order = std::ranges::find(kOrders, request.path) != kOrders.end();
  if (!is_order && request.path != "/draft") {
    return visitor.answer(HttpResponse::refusal(404, "There is nothing of this name."));
  }
  if (request.method != (is_order ? "POST" : "GET")) {
    return visitor.answer(HttpResponse::refusal(405, is_order ? "Use POST." : "Use GET."));
  }
  if (is_order && request.content_type != "application/json") {  // forms of other pages cannot send it
    return visitor.answer(HttpResponse::refusal(415, "What is sent is application/json."));
  }
  visitor.answer(answer(request));
  if (request.path == "/end") {
    end_();
  }
}

HttpResponse EditDesk::answer(const HttpRequest& request) {
  try {
    if (request.path != "/draft") {
      carry_out(request.path, nlohmann::json::parse(request.body));
    }
    return HttpResponse::json(json_line(file_.report()));
  } catch (const NeedsConsent& error) {
    return conflict({{"error", error.what()}, {"lost_comments", error.lost_comments()}});
  } catch (const nlohmann::json::exception& error) {
    return HttpResponse::refusal(400, error.what());
  } catch (const std::exception& error) {
    return conflict({{"error", error.what()}});
  }
}

void EditDesk::carry_out(const std::string& path, const nlohmann::json& asked) {
  if (path == "/change") {
    file_.change(read_changes(asked), asked.value("may_lose_comments", false));
  } else if (path == "/text") {
    file_.write(asked.at("text").get<std::string>());
  } else if (path == "/undo") {
    file_.undo();
  } else if (path == "/save") {
    file_.save();
  } else if (path == "/read") {
    file_.read_again();
  }
}

}  // namespace hilgate
