// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "config/plain_text.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/tracklog/log_formats.h"

namespace hilgate {
namespace {

constexpr std::size_t kLongestOrder = 1024;  // of a line, bytes

/// From `at` on towards `to` with `speed`, or, without a speed, at once.
struct Ns2Order {
  double at_s = 0;
  std::size_t line = 0;
  std::optional<double> speed{};
  std::optional<double> x{};
  std::optional<double> y{};
  std::optional<double> z{};
};
struct Ns2Node {
  Vec3 start;
  std::size_t line = 0;  // where it was first named
  std::vector<Ns2Order> orders;
};

/// Words of a line; quotes, brackets and blanks are between them.
std::vector<std::string_view> ns2_words(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBetween = " \t\"()";
  for (std::size_t from = line.find_first_not_of(kBetween); from != std::string_view::npos;
       from = line.find_first_not_of(kBetween, from)) {
    const std::size_t end = std::min(line.find_first_of(kBetween, from), line.size());
    words.push_back(line.substr(from, end - from));
    from = end;
  }
  return words;
}

class Ns2Reader {
 public:
  explicit Ns2Reader(const std::string& file)
      : log_(file, "ns-2 movements", LogClock::kSimulation, LogBuilder::Counts::kLines) {}
  TrackLog read(std::string_view text);

 private:
  void take(const std::vector<std::string_view>& words);
  void take_order(std::span<const std::string_view> words, std::optional<double> at);
  std::optional<double> number(std::string_view word, double least, double most);
  void walk(const std::string& name, Ns2Node& node);

  LogBuilder log_;
  std::size_t line_ = 0;
  std::map<std::uint32_t, Ns2Node> nodes_;
};

TrackLog Ns2Reader::read(std::string_view text) {
  while (!text.empty() && !log_.full()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ++line_;
    const std::string_view line = trimmed(text.substr(0, end), kLogBlanks);
    if (!line.empty() && line[0] != '#') {
      take(ns2_words(line.substr(0, kLongestOrder)));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (auto& [id, node] : nodes_) {
    walk(fmt::format("node{}", id), node);
  }
  return log_.finish("moves no node");
}

// $node_(0) set X_ 1.5, or $ns_ at 2.0 "$node_(0) setdest 10 20 1.5"
void Ns2Reader::take(const std::vector<std::string_view>& words) {
  const std::span<const std::string_view> all(words);
  if (words.size() >= 4 && words[0] == "$node_") {
    return take_order(all.subspan(1), std::nullopt);
  }
  if (words.size() >= 6 && words[0] == "$ns_" && words[1] == "at" && words[3] == "$node_") {
    if (const auto at = number(words[2], 0, 1e9)) {
      take_order(all.subspan(4), *at);
    }
    return;
  }
  log_.leave_out("lines that move no node");
}

std::optional<double> Ns2Reader::number(std::string_view word, double least, double most) {
  const auto value = finite_number(word);
  if (!value || *value < least || *value > most) {
    log_.fault(line_, fmt::format("'{}' is no number from {:g} to {:g}", shown(word), least, most));
    return std::nullopt;
  }
  return value;
}

void Ns2Reader::take_order(std::span<const std::string_view> words, std::optional<double> at) {
  const auto id = number(words[0], 0, 1e6);
  if (!id) {
    return;
  }
  Ns2Node& node = nodes_.try_emplace(static_cast<std::uint32_t>(*id), Ns2Node{{}, line_, {}}).first->second;
  if (words[1] == "setdest" && words.size() == 5 && at) {
    const auto x = number(words[2], -kWorldReach, kWorldReach);
    const auto y = number(words[3], -kWorldReach, kWorldReach);
    const auto speed = number(words[4], 0, 1e9);
    if (x && y && speed) {
      node.orders.push_back({*at, line_, speed, x, y, std::nullopt});
    }
    return;
  }
  const bool sets = words[1] == "set" && words.size() == 4 && words[2].size() == 2 && words[2][1] == '_';
  const char axis = sets ? words[2][0] : ' ';
  if (axis != 'X' && axis != 'Y' && axis != 'Z') {
    return log_.fault(line_, "a node is moved by `set X_ 1`, Y_ or Z_, or, at a time, `setdest X Y SPEED`");
  }
  const auto value = number(words[3], -kWorldReach, kWorldReach);
  if (!value) {
    return;
  }
  if (!at) {
    (axis == 'X' ? node.start.x : axis == 'Y' ? node.start.y : node.start.z) = *value;
  } else {
    Ns2Order order{.at_s = *at, .line = line_};
    (axis == 'X' ? order.x : axis == 'Y' ? order.y : order.z) = value;
    node.orders.push_back(order);
  }
}

// An order ends the one before it, where the node is by then.
void Ns2Reader::walk(const std::string& name, Ns2Node& node) {
  std::ranges::stable_sort(node.orders, {}, &Ns2Order::at_s);
  const auto at = [](double seconds) { return Nanoseconds{std::llround(seconds * 1e9)}; };
  Vec3 place = node.start;
  log_.add(name, Nanoseconds{0}, place, node.line);
  Nanoseconds last{0};
  const auto add = [&](Nanoseconds when, std::size_t line) {
    if (when > last) {
      log_.add(name, when, place, line);
      last = when;
    }
  };
  for (std::size_t i = 0; i < node.orders.size() && !log_.full(); ++i) {
    const Ns2Order& order = node.orders[i];
    const double until = i + 1 < node.orders.size() ? node.orders[i + 1].at_s : 1e9;
    add(at(order.at_s), order.line);
    if (!order.speed) {
      place = {order.x.value_or(place.x), order.y.value_or(place.y), order.z.value_or(place.z)};
      const bool goes_on = i + 1 < node.orders.size() && !node.orders[i + 1].speed && until <= order.at_s;
      if (!goes_on) {  // X_ and Y_ of one instant are one jump
        add(at(order.at_s) + std::chrono::microseconds(1), order.line);
      }
      continue;
    }
    const double dx = *order.x - place.x;
    const double dy = *order.y - place.y;
    const double length = std::hypot(dx, dy);
    if (!(*order.speed > 0) || !(length > 0)) {
      continue;
    }
    const double arrival = order.at_s + length / *order.speed;
    const double part = arrival <= until ? 1 : (until - order.at_s) / (arrival - order.at_s);
    place = {place.x + dx * part, place.y + dy * part, place.z};
    add(at(std::min(arrival, until)), order.line);
  }
}

}  // namespace

TrackLog parse_ns2(std::string_view text, const std::string& file) {
  return Ns2Reader(file).read(text);
}

}  // namespace hilgate
