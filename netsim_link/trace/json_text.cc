// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/trace/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "config/config_error.h"

namespace hilgate {
namespace {

constexpr int kDeepest = 64;

class JsonReader {
 public:
  JsonReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  JsonValue all() {
    JsonValue value = read(0);
    skip();
    if (value.whole && !at_end()) {
      fail("has more behind the end of its value; allowed: one JSON value");
    }
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError({{.file = file_, .line = line_, .path = {}, .text = what}});
  }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char here() const { return text_[at_]; }
  void skip() {
    for (; !at_end() && (here() == ' ' || here() == '\t' || here() == '\r' || here() == '\n'); ++at_) {
      line_ += here() == '\n' ? 1 : 0;
    }
  }
  // Over `mark` if it is next.
  bool take(char mark) {
    skip();
    if (at_end() || here() != mark) {
      return false;
    }
    ++at_;
    return true;
  }

  JsonValue read(int depth) {
    skip();
    JsonValue value;
    value.line = line_;
    if (depth > kDeepest) {
      fail("is nested too deep; allowed: 64 levels");
    }
    if (at_end()) {
      value.whole = false;
    } else if (take('{')) {
      read_members(value, depth);
    } else if (take('[')) {
      read_items(value, depth);
    } else if (here() == '"') {
      value.whole = read_string(value.value.emplace<std::string>());
    } else {
      read_word(value);
    }
    return value;
  }

  void read_items(JsonValue& value, int depth) {
    auto& items = value.value.emplace<JsonValue::Items>();
    if (take(']')) {
      return;
    }
    do {
      JsonValue item = read(depth + 1);
      const bool whole = item.whole;
      items.push_back(std::move(item));
      if (!whole) {
        value.whole = false;
        return;
      }
    } while (take(','));
    close(value, ']', "an item, ',' or ']'");
  }

  void read_members(JsonValue& value, int depth) {
    auto& members = value.value.emplace<JsonValue::Members>();
    if (take('}')) {
      return;
    }
    do {
      std::string name;
      skip();
      if (!at_end() && here() != '"') {
        fail("has something else than a name in quotes in an object");
      }
      if (at_end() || !read_string(name) || !take_colon()) {
        value.whole = false;
        return;
      }
      JsonValue member = read(depth + 1);
      const bool whole = member.whole;
      members.emplace_back(std::move(name), std::move(member));
      if (!whole) {
        value.whole = false;
        return;
      }
    } while (take(','));
    close(value, '}', "a member, ',' or '}'");
  }

  bool take_colon() {
    if (take(':')) {
      return true;
    }
    if (!at_end()) {
      fail("has no ':' behind a name");
    }
    return false;
  }

  void close(JsonValue& value, char mark, const char* expected) {
    if (!take(mark)) {
      value.whole = false;
      if (!at_end()) {
        fail(std::string("has '") + here() + "' where " + expected + " is expected");
      }
    }
  }

  // At the opening quote. Escapes stay as they are: no name or value that matters has any. False: it has no end.
  bool read_string(std::string& text) {
    const std::size_t begin = ++at_;
    while (!at_end() && here() != '"') {
      line_ += here() == '\n' ? 1 : 0;
      at_ = std::min(at_ + (here() == '\\' ? 2 : 1), text_.size());
    }
    text = text_.substr(begin, at_ - begin);
    if (at_end()) {
      return false;
    }
    ++at_;
    return true;
  }

  // A number, true, false or null. One that the text ends with may go on.
  void read_word(JsonValue& value) {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    double number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    value.whole = end < text_.size();
    if (error == std::errc{} && stop == word.data() + word.size() && std::isfinite(number)) {
      value.value = number;
    } else if (value.whole && word != "true" && word != "false" && word != "null") {
      fail("has '" + std::string(word.substr(0, 40)) +
           "', which is not a JSON value; allowed: finite numbers, text in "
           "quotes, lists and objects");
    }
    at_ = end;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

const JsonValue* JsonValue::member(std::string_view name) const {
  const Members* const all = members();
  if (all == nullptr) {
    return nullptr;
  }
  const auto found = std::ranges::find(*all, name, &Members::value_type::first);
  return found == all->end() ? nullptr : &found->second;
}

JsonValue parse_json(std::string_view text, const std::string& file) {
  return JsonReader(text, file).all();
}

}  // namespace hilgate
