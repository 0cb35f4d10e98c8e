// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "config/table_text.h"
#include "netsim_link/trace/trace_formats.h"

namespace hilgate {
namespace {

// JSON (RFC 8259) that may be cut off: what is there of it, with the line of every value.

struct JsonValue {
  using Items = std::vector<JsonValue>;
  using Members = std::vector<std::pair<std::string, JsonValue>>;
  /// std::nullptr_t is also what true, false and null are: nobody asks for them.
  std::variant<std::nullptr_t, double, std::string, Items, Members> value = nullptr;
  int line = 0;
  bool whole = true;  // false: the text ends within it

  [[nodiscard]] const double* number() const { return std::get_if<double>(&value); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&value); }
  [[nodiscard]] const Items* items() const { return std::get_if<Items>(&value); }
  [[nodiscard]] const Members* members() const { return std::get_if<Members>(&value); }
  /// The member of that name; null without.
  [[nodiscard]] const JsonValue* member(std::string_view name) const;
};

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
  bool end_object() override {
    require_single_names(std::get<JsonValue::Members>(open_.back()->value));
    return close();
  }
  bool start_array(std::size_t) override { return open(JsonValue::Items{}); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception& error) override {
    const bool is_after = open_.empty() && !std::holds_alternative<std::nullptr_t>(root_.value);
    if (reading_.bytes < size_ || is_after) {
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
  void require_single_names(const JsonValue::Members& members) const {
    std::vector<std::string_view> names;
    std::ranges::transform(members, std::back_inserter(names), &JsonValue::Members::value_type::first);
    std::ranges::sort(names);
    if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
      fail(fmt::format("has '{}' twice in one object; allowed: once", *twice));
    }
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

const JsonValue* JsonValue::member(std::string_view name) const {
  const Members* const all = members();
  if (all == nullptr) {
    return nullptr;
  }
  const auto found = std::ranges::find(*all, name, &Members::value_type::first);
  return found == all->end() ? nullptr : &found->second;
}

// The value of `text`. Where the text ends early, values that it ends within hold what is whole of them.
// Throws ConfigError, with `file` as its place, for what is no JSON.
JsonValue parse_json(std::string_view text, const std::string& file) {
  Reading reading;
  JsonBuilder builder(reading, text.size(), file);
  nlohmann::json::sax_parse(ReadByte(text.data(), reading), ReadByte(text.data() + text.size(), reading), &builder);
  return builder.take();
}

enum class Kind : std::uint8_t { kRate, kDelay, kLoss };

struct Unit {
  std::string_view name;
  double scale;
};
constexpr std::array kSpans = {Unit{"ns", 1},    Unit{"us", 1e3}, Unit{"ms", 1e6},   Unit{"s", 1e9},
                               Unit{"sec", 1e9}, Unit{"m", 60e9}, Unit{"min", 60e9}, Unit{"h", 3600e9}};
constexpr std::array kRates = {Unit{"bps", 1}, Unit{"kbps", 1e3}, Unit{"Mbps", 1e6}, Unit{"Gbps", 1e9}};

constexpr std::string_view kSpanAllowed = R"({"secs": S, "nanos": N}, or text as "1s 500ms", up to 366 days)";
constexpr std::string_view kRateAllowed = R"({"gbps": G, "bps": B}, or text as "12Mbps", 0 or more)";

// "1s 500ms": the sum of its numbers, each with a unit.
std::optional<double> sum_of(std::string_view text, std::span<const Unit> units) {
  double sum = 0;
  bool any = false;
  for (text = bare(text); !text.empty(); text = bare(text)) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789.eE+"), text.size());
    const std::optional<double> number = finite_number(text.substr(0, digits));
    text = bare(text.substr(digits));
    const std::size_t word = std::min(text.find_first_of(" 0123456789"), text.size());
    const auto unit = std::ranges::find(units, text.substr(0, word), &Unit::name);
    if (!number || unit == units.end()) {
      return std::nullopt;
    }
    sum += *number * unit->scale;
    any = true;
    text = text.substr(word);
  }
  return any ? std::make_optional(sum) : std::nullopt;
}

/// One file on its way into a trace.
class NetemReader {
 public:
  explicit NetemReader(Trace& trace) : trace_(trace) {}

  void read(std::string_view text) {
    const JsonValue root = parse_json(text, trace_.file);
    append(root);
    TraceFaults faults(trace_.file);
    require_entries(trace_, faults);
    faults.finish();
    trace_.has_rate = kind_ == Kind::kRate;
    trace_.has_delay = kind_ == Kind::kDelay;
    trace_.has_loss = kind_ == Kind::kLoss;
  }

 private:
  [[noreturn]] void fail(const JsonValue& at, const std::string& text) const {
    throw ConfigError({{.file = trace_.file, .line = at.line, .path = {}, .text = text}});
  }

  // False where the text ends early: nothing follows.
  bool append(const JsonValue& config) {
    const auto* members = config.members();
    if (members == nullptr || members->size() != 1) {
      return config.whole ? (fail(config,
                                  "is no netem-trace model; allowed: an object with one member, as "
                                  R"({"RepeatedBwPatternConfig": {...}})"),
                             false)
                          : cut(config);
    }
    const auto& [name, body] = members->front();
    if (name == "TraceBwConfig") {
      return set_kind(config, Kind::kRate) && append_steps(body);
    }
    constexpr std::array<std::string_view, 3> kKinds = {"Bw", "Delay", "Loss"};
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      if (name == fmt::format("Static{}Config", kKinds[i])) {
        return set_kind(config, static_cast<Kind>(i)) && (body.whole ? append_static(body) : cut(body));
      }
      if (name == fmt::format("Repeated{}PatternConfig", kKinds[i])) {
        return set_kind(config, static_cast<Kind>(i)) && append_pattern(body);
      }
    }
    fail(config, fmt::format("has the model '{}'; allowed: StaticBwConfig, TraceBwConfig, RepeatedBwPatternConfig, "
                             "StaticDelayConfig, RepeatedDelayPatternConfig, StaticLossConfig and "
                             "RepeatedLossPatternConfig; write what another one draws to a file",
                             shown(name)));
  }

  bool set_kind(const JsonValue& at, Kind kind) {
    if (kind_ && *kind_ != kind) {
      fail(at, "has a model of another kind than those before; allowed: rate, delay or loss in one file");
    }
    kind_ = kind;
    return true;
  }

  bool cut(const JsonValue& at) {
    trace_.notes.push_back(
        fmt::format("the file is cut off in the entry in line {}, which is left out: the trace ends "
                    "with the entry before it",
                    at.line));
    return false;
  }

  bool append_static(const JsonValue& body) {
    const JsonValue* const duration = body.member("duration");
    const JsonValue* const value = body.member(*kind_ == Kind::kRate    ? "bw"
                                               : *kind_ == Kind::kDelay ? "delay"
                                                                        : "loss");
    if (duration == nullptr || value == nullptr) {
      fail(body, "has not both its value and its 'duration'; allowed: both");
    }
    TraceEntry entry;
    if (*kind_ == Kind::kRate) {
      entry.bits_per_second = rate_of(*value);
    } else if (*kind_ == Kind::kDelay) {
      entry.delay = span_of(*value, std::chrono::hours{1}, R"({"secs": S, "nanos": N}, or text as "20ms", up to 1 h)");
    } else {
      entry.loss = loss_of(*value);
    }
    add(body, entry, span_of(*duration, kLongestTrace, kSpanAllowed));
    return true;
  }

  // [[25.0, [0.38, 2.0]], ...]: rates in Mbit/s, each for so many milliseconds.
  bool append_steps(const JsonValue& steps) {
    const auto* items = steps.items();
    if (items == nullptr) {
      return steps.whole ? (fail(steps, "is no list; allowed: [[MILLISECONDS, [MBIT_PER_S, ...]], ...]"), false)
                         : cut(steps);
    }
    for (const JsonValue& step : *items) {
      if (!step.whole) {
        return cut(step);
      }
      const auto* pair = step.items();
      const bool good = pair != nullptr && pair->size() == 2 && (*pair)[0].number() != nullptr &&
                        (*pair)[1].items() != nullptr && *(*pair)[0].number() > 0 && *(*pair)[0].number() < 3e10;
      if (!good) {
        fail(step, "is no step; allowed: [MILLISECONDS, [MBIT_PER_S, ...]], with milliseconds above 0");
      }
      for (const JsonValue& rate : *(*pair)[1].items()) {
        const double* mbps = rate.number();
        if (mbps == nullptr || *mbps < 0) {
          fail(rate, "is no rate; allowed: Mbit/s, 0 or more");
        }
        add(step, {.bits_per_second = std::min(*mbps * 1e6, kUnlimitedRate)},
            Nanoseconds{std::llround(*(*pair)[0].number() * 1e6)});
      }
    }
    return steps.whole || cut(steps);
  }

  bool append_pattern(const JsonValue& body) {
    const JsonValue* const pattern = body.member("pattern");
    if (pattern == nullptr || pattern->items() == nullptr) {
      return body.whole ? (fail(body, "has no 'pattern'; allowed: a list of models"), false) : cut(body);
    }
    const JsonValue* const count = body.member("count");
    const double* const given = count != nullptr ? count->number() : nullptr;
    if (count != nullptr && count->whole && (given == nullptr || *given < 0 || *given != std::floor(*given))) {
      fail(*count, "is no count; allowed: whole numbers, 0 (again and again: see `end`) or more");
    }
    const std::size_t before = trace_.entries.size();
    for (const JsonValue& item : *pattern->items()) {
      if (!append(item)) {
        return false;
      }
    }
    if (body.whole && given != nullptr) {
      repeat(*count, before, *given - 1);
    }
    return body.whole || cut(body);
  }

  // Repeats the entries added after `before`.
  void repeat(const JsonValue& at, std::size_t before, double times) {
    const std::vector<TraceEntry> pattern(trace_.entries.begin() + static_cast<std::ptrdiff_t>(before),
                                          trace_.entries.end());
    if (pattern.empty() || times < 1) {
      return;
    }
    if (times * static_cast<double>(pattern.size()) > static_cast<double>(kMostTraceEntries)) {
      fail(at, fmt::format("makes too many entries; allowed: {}", kMostTraceEntries));
    }
    const Nanoseconds length = trace_.length - pattern.front().at;
    for (auto i = static_cast<std::size_t>(times); i > 0; --i) {
      for (std::size_t step = 0; step < pattern.size(); ++step) {
        const Nanoseconds end = step + 1 < pattern.size() ? pattern[step + 1].at : pattern.front().at + length;
        add(at, pattern[step], end - pattern[step].at);
      }
    }
  }

  void add(const JsonValue& at, const TraceEntry& entry, Nanoseconds keep) {
    try {
      if (keep > Nanoseconds{0}) {  // netem-trace leaves them out, too
        add_entry(trace_, entry, keep);
      }
    } catch (const BadEntry& bad) {
      fail(at, bad.what());
    }
  }

  Nanoseconds span_of(const JsonValue& value, Nanoseconds most, std::string_view allowed) const {
    std::optional<double> ns;
    if (const std::string* const text = value.text()) {
      ns = sum_of(*text, kSpans);
    } else if (value.members() != nullptr) {
      ns = part_of(value, "secs") * 1e9 + part_of(value, "nanos");
    }
    if (!ns || !(*ns >= 0 && *ns <= static_cast<double>(most.count()))) {
      fail(value, fmt::format("is no time; allowed: {}", allowed));
    }
    return Nanoseconds{std::llround(*ns)};
  }

  double rate_of(const JsonValue& value) const {
    std::optional<double> rate;
    if (const std::string* const text = value.text()) {
      rate = sum_of(*text, kRates);
    } else if (value.members() != nullptr) {
      rate = part_of(value, "gbps") * 1e9 + part_of(value, "bps");
    }
    if (!rate || !(*rate >= 0)) {
      fail(value, fmt::format("is no rate; allowed: {}", kRateAllowed));
    }
    return std::min(*rate, kUnlimitedRate);
  }

  double part_of(const JsonValue& value, std::string_view name) const {
    const JsonValue* const part = value.member(name);
    const double* const number = part != nullptr ? part->number() : nullptr;
    return part == nullptr ? 0 : number == nullptr ? -1e300 : *number;
  }

  double loss_of(const JsonValue& value) const {
    const auto* shares = value.items();
    if (shares == nullptr || shares->size() != 1 || shares->front().number() == nullptr ||
        !(*shares->front().number() >= 0 && *shares->front().number() <= 1)) {
      fail(value,
           "is no loss; allowed: [SHARE], from 0 to 1 (losses that depend on those before them are no trace: "
           "`loss: {model: ...}` under 'links' has such models)");
    }
    return *shares->front().number();
  }

  Trace& trace_;
  std::optional<Kind> kind_;
};

}  // namespace

void read_netem_trace(std::string_view text, Trace& trace) {
  NetemReader(trace).read(text);
}

}  // namespace hilgate
