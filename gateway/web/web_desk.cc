// SPDX-License-Identifier: Apache-2.0
#include "gateway/web/web_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/web/control_call.h"
#include "gateway/web/page_file.h"

namespace hilgate {
namespace {

constexpr std::size_t kMostFollowers = 32;
constexpr std::chrono::seconds kRelayPatience{60};  // a change may take as long as its maps need
constexpr std::array kRelayed = {"set", "get", "reload", "pause", "resume", "wire"};

const PageFile* file_at(const std::string& path) {
  const auto files = page_files();
  const auto found = std::ranges::find(files, path, &PageFile::path);
  return found != files.end() ? &*found : nullptr;
}

bool is_read(const HttpRequest& request) {
  return request.method == "GET";
}

}  // namespace

WebDesk::WebDesk(asio::io_context& context, const std::string& control_socket, WebGuard guard)
    : context_(context), control_socket_(control_socket), guard_(std::move(guard)), watch_(context, control_socket) {}

bool WebDesk::may_change(const Visitor& visitor) const {
  return guard_.has_token() || visitor.is_operator();  // a token has been asked for before
}

void WebDesk::relay(const std::string& request, const Visitor& visitor) {
  control_call(context_, control_socket_, request, kRelayPatience,
               [answer = visitor.answer](std::string text) { answer(HttpResponse::json(std::move(text))); });
}

void WebDesk::control(const HttpRequest& request, const Visitor& visitor) {
  if (!may_change(visitor)) {
    return visitor.answer(HttpResponse::refusal(
        403,
        "Changes are for operators: root, the user that the gateway runs as, and members of the group 'hilgate'."));
  }
  if (request.content_type != "application/json") {  // forms of other pages cannot send it
    return visitor.answer(HttpResponse::refusal(415, "A request for a change is application/json."));
  }
  const auto asked = nlohmann::json::parse(request.body, nullptr, false);
  if (!asked.is_object() || !asked.contains("command") || !asked["command"].is_string() ||
      std::ranges::find(kRelayed, asked["command"].get<std::string>()) == kRelayed.end()) {
    return visitor.answer(
        HttpResponse::refusal(400, R"(Write {"command": NAME, ...}; set, get, reload, pause, resume or wire.)"));
  }
  relay(asked.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), visitor);
}

void WebDesk::take(const HttpRequest& request, const Visitor& visitor) {
  if (const PageFile* const file = file_at(request.path)) {
    if (auto refusal = guard_.refuse(request)) {
      return visitor.answer(std::move(*refusal));
    }
    if (!is_read(request)) {
      return visitor.answer(HttpResponse::refusal(405, "Files of the page can be read, and nothing else."));
    }
    return visitor.answer({.type = std::string(file->type), .body = std::make_shared<const std::string>(file->text)});
  }
  if (auto refusal = guard_.refuse_data(request)) {
    return visitor.answer(std::move(*refusal));
  }
  const bool changes = request.path == "/control";
  if (!changes && request.path != "/events" && request.path != "/history" && request.path != "/world" &&
      request.path != "/rights") {
    return visitor.answer(HttpResponse::refusal(404, "There is nothing of this name."));
  }
  if (changes ? request.method != "POST" : !is_read(request)) {
    return visitor.answer(HttpResponse::refusal(405, changes ? "Use POST." : "Use GET."));
  }
  if (changes) {
    return control(request, visitor);
  }
  if (request.path == "/history") {
    return visitor.answer({.type = "application/x-ndjson", .body = watch_.history().text()});
  }
  if (request.path == "/world") {
    return relay(R"({"command": "world"})", visitor);
  }
  if (request.path == "/rights") {
    return visitor.answer(HttpResponse::json(fmt::format(R"({{"change":{}}})", may_change(visitor))));
  }
  if (watch_.subscribers() >= kMostFollowers) {
    return visitor.answer(HttpResponse::refusal(503, "Too many browsers watch already; close one."));
  }
  visitor.follow(watch_);
}

}  // namespace hilgate
