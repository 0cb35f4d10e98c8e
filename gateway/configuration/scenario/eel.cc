// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/eel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "config/table_text.h"
#include "physics_link/mavlink/geodetic.h"

namespace hilgate {
namespace {

constexpr double kLatest = 8760.0 * 3600;  // s, of a scenario

double number_of(std::string_view text, double low, double high) {
  const std::optional<double> number = finite_number(text);
  if (!number) {
    throw std::invalid_argument(fmt::format("'{}' is not a number", shown(text)));
  }
  if (*number < low || *number > high) {
    throw std::invalid_argument(fmt::format("'{}' is out of range; allowed: {:g} to {:g}", shown(text), low, high));
  }
  return *number;
}

Nanoseconds eel_span(std::string_view text) {
  return Nanoseconds{static_cast<std::int64_t>(std::llround(number_of(text, 0, kLatest) * 1e9))};
}

// Before all times, as ETCE writes it: whatever Python's float() takes for it.
bool is_before_all(std::string_view text) {
  const std::string small = in_small_letters(text);
  return small == "-inf" || small == "-infinity";
}

// An event's time. Of a time before the start, also -Inf, the state at the start is left.
Nanoseconds eel_time(std::string_view text) {
  if (is_before_all(text)) {
    return Nanoseconds{0};
  }
  return std::max(Nanoseconds{0},
                  Nanoseconds{static_cast<std::int64_t>(std::llround(number_of(text, -kLatest, kLatest) * 1e9))});
}

// Below 0, or 0 for lines that are not before the start.
double seconds_before_start(const std::string& line) {
  std::istringstream words(line);
  std::string time;
  words >> time;
  if (is_before_all(time)) {
    return -std::numeric_limits<double>::infinity();
  }
  return std::min(finite_number(time).value_or(0), 0.0);
}

std::uint32_t nem_number(std::string_view digits, std::string_view text) {
  constexpr double kMost = 65534;  // EMANE's
  const double number = number_of(digits, 1, kMost);
  if (number != std::floor(number)) {
    throw std::invalid_argument(fmt::format("'{}' is not a NEM, as nem:1", shown(text)));
  }
  return static_cast<std::uint32_t>(number);
}

// One NEM or several: nem:1, nem:1-3,7.
std::vector<std::uint32_t> nems_of(std::string_view text) {
  constexpr std::uint32_t kMostOfRange = 1024;
  if (!text.starts_with("nem:")) {
    throw std::invalid_argument(fmt::format("'{}' is not a NEM, as nem:1", shown(text)));
  }
  std::vector<std::uint32_t> nems;
  for (const std::string& part : parts_of(text.substr(4), ',')) {
    const std::size_t dash = part.find('-', 1);
    const std::uint32_t first = nem_number(std::string_view(part).substr(0, dash), text);
    const std::uint32_t last =
        dash == std::string::npos ? first : nem_number(std::string_view(part).substr(dash + 1), text);
    if (last < first || last - first >= kMostOfRange) {
      throw std::invalid_argument(fmt::format("'{}' is not a range of NEMs, as nem:1-3,7", shown(text)));
    }
    for (std::uint32_t nem = first; nem <= last; ++nem) {
      nems.push_back(nem);
    }
  }
  return nems;
}

std::uint32_t nem_of(std::string_view text) {
  const std::vector<std::uint32_t> nems = nems_of(text);
  if (nems.size() != 1) {
    throw std::invalid_argument(fmt::format("'{}' is several NEMs; one is expected, as nem:1", shown(text)));
  }
  return nems.front();
}

/// Lines one after the other.
class EelReader {
 public:
  EelEvents events;

  void read(const std::string& line) {
    std::istringstream words(line.substr(0, line.find('#')));
    const std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
    if (all.empty()) {
      return;
    }
    if (all.size() < 3) {
      throw std::invalid_argument("is not an event, as `0.0 nem:1 location gps 40.03,-74.52,3.0`");
    }
    const Nanoseconds at = eel_time(all[0]);
    const std::vector<std::uint32_t> nems = nems_of(all[1]);
    if (all[2] == "allinformedpathloss") {
      all_informed(at, nems, all);
    } else if (all[2] == "location" || all[2] == "commeffect" || all[2] == "pathloss") {
      for (const std::uint32_t nem : nems) {
        event(at, nem, all);
      }
    } else {
      ++events.left_out[all[2]];
    }
  }

 private:
  void event(Nanoseconds at, std::uint32_t nem, const std::vector<std::string>& words) {
    if (words[2] == "location") {
      return place(at, nem, words);
    }
    for (std::size_t i = 3; i < words.size(); ++i) {
      words[2] == "commeffect" ? effect(at, nem, words[i]) : path_loss(at, nem, words[i]);
    }
  }

  void place(Nanoseconds at, std::uint32_t nem, const std::vector<std::string>& words) {
    if (words.size() != 5 || (words[3] != "gps" && words[3] != "cart")) {
      throw std::invalid_argument("location needs `gps LATITUDE,LONGITUDE,ALTITUDE` or `cart X,Y,Z`");
    }
    const std::vector<std::string> parts = parts_of(words[4], ',');
    const bool has_datum = parts.size() == 4 && (parts[3] == "msl" || parts[3] == "agl");  // one altitude for EMANE
    if (parts.size() != 3 && !has_datum) {
      throw std::invalid_argument(fmt::format("'{}' is not three numbers", shown(words[4])));
    }
    constexpr double kFarthest = 1e8;  // m
    Vec3 position{};
    if (words[3] == "gps") {
      const mavlink::Geodetic here{number_of(parts[0], -90, 90), number_of(parts[1], -180, 180),
                                   number_of(parts[2], -kFarthest, kFarthest)};
      origin_ = origin_.value_or(mavlink::Geodetic{here.lat_deg, here.lon_deg, 0});
      position = enu_of(here, *origin_);
    } else {
      position = {number_of(parts[0], -kFarthest, kFarthest), number_of(parts[1], -kFarthest, kFarthest),
                  number_of(parts[2], -kFarthest, kFarthest)};
    }
    std::vector<EelPlace>& track = events.places[nem];
    if (!track.empty() && at < track.back().at) {
      throw std::invalid_argument(fmt::format("is earlier than the location of nem:{} before", nem));
    }
    if (!track.empty() && at == track.back().at) {
      track.pop_back();
    }
    track.push_back({at, position});
  }

  // The sentence's NEM is the source, the listed one the destination, as EMANE's commeffect agent has it.
  void effect(Nanoseconds at, std::uint32_t from, const std::string& text) {
    const std::vector<std::string> parts = parts_of(text, ',');
    if (parts.size() != 7) {
      throw std::invalid_argument(fmt::format(
          "'{}' is not a NEM with latency, jitter, loss, duplicates, unicast rate and broadcast rate", shown(text)));
    }
    constexpr double kMostRate = 1e12;
    CommEffect effect{
        .from = from, .to = nem_of(parts[0]), .latency = eel_span(parts[1]), .jitter = eel_span(parts[2])};
    effect.loss_percent = number_of(parts[3], 0, 100);
    effect.duplicate_percent = number_of(parts[4], 0, 100);
    effect.unicast_bps = number_of(parts[5], 0, kMostRate);
    const double broadcast = number_of(parts[6], 0, kMostRate);
    if (effect.from == effect.to) {
      return;
    }
    events.limits_broadcast = events.limits_broadcast || broadcast != effect.unicast_bps;
    events.effects[at].push_back(effect);
  }

  // The first number is the loss from the sentence's NEM to the listed one; the second, otherwise the first again, that
  // of the other way.
  void path_loss(Nanoseconds at, std::uint32_t from, const std::string& text) {
    const std::vector<std::string> parts = parts_of(text, ',');
    if (parts.size() < 2 || parts.size() > 3) {
      throw std::invalid_argument(
          fmt::format("'{}' is not a NEM with one path loss or two, as nem:2,96.3", shown(text)));
    }
    const std::uint32_t to = nem_of(parts[0]);
    const EelPathLoss forward{from, to, loss_of(parts[1])};
    const EelPathLoss reverse{to, from, loss_of(parts.back())};
    if (from != to) {  // no radio receives from itself
      events.path_losses[at].insert(events.path_losses[at].end(), {forward, reverse});
    }
  }

  // One loss between each two of the sentence's NEMs.
  void all_informed(Nanoseconds at, const std::vector<std::uint32_t>& nems, const std::vector<std::string>& words) {
    if (words.size() != 4) {
      throw std::invalid_argument("allinformedpathloss needs one path loss, as `nem:1-3,7 allinformedpathloss 90`");
    }
    const double loss = loss_of(words[3]);
    for (const std::uint32_t from : nems) {
      for (const std::uint32_t to : nems) {
        if (from != to) {
          events.path_losses[at].push_back({from, to, loss});
        }
      }
    }
  }

  // Tools write losses as 999 dB for NEMs that are out of reach; the key `path_loss` ends at 300 dB, which is as far.
  static double loss_of(std::string_view text) {
    constexpr double kMostWritten = 1e4;
    constexpr double kMostLoss = 300;
    return std::min(number_of(text, 0, kMostWritten), kMostLoss);
  }

  std::optional<mavlink::Geodetic> origin_;  // of the first position, at its height 0
};

// Exact, so that instants stay apart.
std::string seconds_text(Nanoseconds span) {
  std::string text = fmt::format("{}.{:09}", span.count() / 1'000'000'000, span.count() % 1'000'000'000);
  text.erase(text.find_last_not_of('0') + 1);
  return (text.ends_with('.') ? text.substr(0, text.size() - 1) : text) + "s";
}

// Whole ones, and none of them below zero is zero.
double in_millimetres(double metres) {
  return std::round(metres * 1e3) / 1e3 + 0.0;
}

/// Writes the steps of effects, with what the links have so far.
class EffectWriter {
 public:
  EffectWriter(const std::map<std::uint32_t, std::string>& robots, std::string& text) : robots_(robots), text_(text) {}

  void write(Nanoseconds at, const std::vector<CommEffect>& effects) {
    std::string set;
    std::string remove;
    std::map<std::string, CommEffect> last;  // the last of an instant is in force
    for (const CommEffect& effect : effects) {
      last[fmt::format("links.{}.{}", name(effect.from), name(effect.to))] = effect;
    }
    for (const auto& [link, effect] : last) {
      add(link + ".delay", delay(effect), set);
      add(link + ".loss", fmt::format("{:g} %", effect.loss_percent), set);
      add(link + ".duplicate", fmt::format("{:g} %", effect.duplicate_percent), set);
      if (effect.unicast_bps > 0) {
        add(link + ".rate", fmt::format("{:.0f} bit/s", std::max(effect.unicast_bps, 1.0)), set);
      } else if (in_force_.erase(link + ".rate") > 0) {
        remove += fmt::format("{}{}.rate", remove.empty() ? "" : ", ", link);
      }
    }
    write_step(at, set, remove);
  }
  void write(Nanoseconds at, const std::vector<EelPathLoss>& losses) {
    std::map<std::string, double> last;  // a key may be in a map once
    for (const EelPathLoss& loss : losses) {
      last[fmt::format("links.{}.{}.path_loss", name(loss.from), name(loss.to))] = loss.loss_db;
    }
    std::string set;
    for (const auto& [key, loss_db] : last) {
      add(key, fmt::format("{:g} dB", loss_db), set);
    }
    write_step(at, set, "");
  }
  std::string name(std::uint32_t nem) const {
    const auto known = robots_.find(nem);
    return known != robots_.end() ? known->second : fmt::format("nem{}", nem);
  }

 private:
  // What is in force already is left out: logs repeat every link each second, and most of them have not changed.
  void add(const std::string& key, const std::string& value, std::string& set) {
    std::string& before = in_force_[key];
    if (before != value) {
      set += fmt::format("      {}: {}\n", key, value);
      before = value;
    }
  }
  void write_step(Nanoseconds at, const std::string& set, const std::string& remove) {
    if (set.empty() && remove.empty()) {
      return;
    }
    text_ += fmt::format("  - at: {}\n", seconds_text(at));
    text_ += set.empty() ? "" : "    set:\n" + set;
    text_ += remove.empty() ? "" : fmt::format("    remove: [{}]\n", remove);
  }
  static std::string delay(const CommEffect& effect) {
    if (effect.jitter == Nanoseconds{0}) {
      return seconds_text(effect.latency);
    }
    const Nanoseconds least = std::max(effect.latency - effect.jitter, Nanoseconds{0});
    return fmt::format("{{base: {}, distribution: uniform, min: 0s, max: {}, jitter: independent}}",
                       seconds_text(least), seconds_text(effect.latency + effect.jitter - least));
  }

  const std::map<std::uint32_t, std::string>& robots_;
  std::string& text_;
  std::unordered_map<std::string, std::string> in_force_;  // values, by key
};

}  // namespace

bool is_eel(std::string_view text) {
  constexpr std::size_t kMostOfBeginning = 256;  // of a line
  text = without_byte_order_mark(text);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::istringstream words{std::string(text.substr(0, std::min({text.find('#'), end, kMostOfBeginning})))};
    std::string time;
    std::string nem;
    if (words >> time) {
      words >> nem;
      return nem.starts_with("nem:") && (is_before_all(time) || finite_number(time));
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

EelEvents read_eel(const std::string& text, const std::string& file) {
  EelReader reader;
  std::vector<Fault> faults;
  std::istringstream stream{std::string(without_byte_order_mark(text))};
  std::vector<std::pair<int, std::string>> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.emplace_back(static_cast<int>(lines.size()) + 1, line);
  }
  // What is before the start is in force before what is at it, wherever in the file.
  std::ranges::stable_sort(lines, {}, [](const auto& line) { return seconds_before_start(line.second); });
  for (const auto& [number, line] : lines) {
    try {
      reader.read(line);
    } catch (const std::invalid_argument& error) {
      faults.push_back({file, number, "", error.what()});
    }
  }
  std::ranges::sort(faults, {}, &Fault::line);
  if (faults.empty() && reader.events.places.empty() && reader.events.effects.empty() &&
      reader.events.path_losses.empty()) {
    faults.push_back({file, 0, "", "has no location, commeffect or pathloss events"});
  }
  if (!faults.empty()) {
    throw ConfigError(std::move(faults));
  }
  return std::move(reader.events);
}

std::string eel_scenario(const EelEvents& events, const std::map<std::uint32_t, std::string>& robots,
                         const std::string& file) {
  std::string text = fmt::format("# From {} by `hilgate scenario import`.\nsteps:\n", file);
  EffectWriter writer(robots, text);
  if (!events.places.empty()) {
    text += "  - at: 0s\n    set:\n";
    for (const auto& [nem, track] : events.places) {
      text += fmt::format("      physics.tracks.{}:\n", writer.name(nem));
      for (const auto& [at, position] : track) {
        text += fmt::format("        - {{at: {}, position: [{:.3f}m, {:.3f}m, {:.3f}m]}}\n", seconds_text(at),
                            in_millimetres(position.x), in_millimetres(position.y), in_millimetres(position.z));
      }
    }
  }
  for (const auto& [at, effects] : events.effects) {
    writer.write(at, effects);
  }
  for (const auto& [at, losses] : events.path_losses) {
    writer.write(at, losses);
  }
  Nanoseconds last{0};
  for (const auto& [nem, track] : events.places) {
    last = std::max(last, track.back().at);
  }
  if (!events.effects.empty()) {
    last = std::max(last, events.effects.rbegin()->first);
  }
  if (!events.path_losses.empty()) {
    last = std::max(last, events.path_losses.rbegin()->first);
  }
  return text +
         (last > Nanoseconds{0} ? fmt::format("end: {}\n", seconds_text(last)) : "end: 1h   # nothing changes\n");
}

}  // namespace hilgate
