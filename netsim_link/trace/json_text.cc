// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/trace/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

#include "config/config_error.h"

namespace hilgate {
namespace {

constexpr std::size_t kDeepest = 64;

/// Counts the bytes and lines that the parser has read.
struct Reading {
  std::size_t bytes = 0;
  int line = 1;
  bool begins_line = false;  // the last byte ended a line
};

/// Bytes of the text, for nlohmann's parser, which copies it.
class ReadByte {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  ReadByte(const char* at, Reading& reading) : at_(at), reading_(&reading) {}
  const char& operator*() const { return *at_; }
  ReadByte& operator++() {
    reading_->line += reading_->begins_line ? 1 : 0;
    reading_->begins_line = *at_ == '\n';
    ++reading_->bytes;
    ++at_;
    return *this;
  }
  ReadByte operator++(int) {
    ReadByte before = *this;
    ++*this;
    return before;
  }
  bool operator==(const ReadByte& other) const { return at_ == other.at_; }
  bool operator!=(const ReadByte& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Reading* reading_;
};

/// Builds the value from the parser's events, which end where the text is cut off.
class JsonBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonBuilder(const Reading& reading, std::size_t size, const std::string& file)
      : reading_(reading), size_(size), file_(file) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool) override { return add(nullptr); }
  bool number_integer(number_integer_t value) override { return add_number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add_number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add_number(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // not in JSON as text
  bool start_object(std::size_t) override { return open(JsonValue::Members{}); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(JsonValue::Items{}); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception& error) override {
    if (reading_.bytes < size_) {
      fail(fmt::format("has '{}', which is not JSON there ({})", token, error.what()));
    }
    for (JsonValue* const value : open_) {
      value->whole = false;
    }
    if (last_number_ != nullptr) {
      last_number_->whole = false;  // more digits may have followed
    }
    root_.whole = false;
    return false;
  }

  JsonValue take() { return std::move(root_); }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError({{.file = file_, .line = reading_.line, .path = {}, .text = what}});
  }
  JsonValue& place() {
    if (open_.empty()) {
      return root_ = {};
    }
    JsonValue& within = *open_.back();
    if (auto* const items = std::get_if<JsonValue::Items>(&within.value)) {
      return items->emplace_back();
    }
    return std::get<JsonValue::Members>(within.value).emplace_back(std::move(key_), JsonValue{}).second;
  }
  template <class Value>
  JsonValue& put(Value value) {
    JsonValue& made = place();
    made.value = std::move(value);
    made.line = reading_.line;
    last_number_ = nullptr;
    return made;
  }
  template <class Value>
  bool add(Value value) {
    put(std::move(value));
    return true;
  }
  bool add_number(double value) {
    JsonValue& number = put(value);
    last_number_ = reading_.bytes == size_ ? &number : nullptr;
    return true;
  }
  template <class Value>
  bool open(Value value) {
    if (open_.size() > kDeepest) {
      fail(fmt::format("is nested too deep; allowed: {} levels", kDeepest));
    }
    open_.push_back(&put(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    last_number_ = nullptr;
    return true;
  }

  const Reading& reading_;
  std::size_t size_;
  const std::string& file_;
  JsonValue root_;
  std::vector<JsonValue*> open_;  // objects and arrays around the next value, which do not move before they are closed
  std::string key_;
  JsonValue* last_number_ = nullptr;  // that the text may end within
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
  Reading reading;
  JsonBuilder builder(reading, text.size(), file);
  nlohmann::json::sax_parse(ReadByte(text.data(), reading), ReadByte(text.data() + text.size(), reading), &builder);
  return builder.take();
}

}  // namespace hilgate
