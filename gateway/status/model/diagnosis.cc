// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/model/diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "config/assignment_key.h"
#include "gateway/status/model/value_text.h"

namespace hilgate {
namespace {

using Sentences = std::vector<std::string>;

constexpr std::string_view kLinks = "links.";
constexpr double kBusyAir = 0.9;
constexpr double kLossOfATry = 0.1;
constexpr double kLeastLoss = 0.01;
constexpr double kUndecodable = 0.99;
constexpr double kLossy = 0.05;
constexpr double kDead = 0.6;
constexpr std::size_t kMostNames = 3;
constexpr std::size_t kMostCrossings = 500'000;  // of links and walls; a status takes at most some milliseconds
constexpr std::size_t kBoxesOfPlace = 100;       // buildings or ground along one line take as long as so many boxes
constexpr std::string_view kGround = "the ground";

bool is_decodable(const LinkStatus& link) {
  return link.reachable && link.frame_loss.value < kUndecodable;
}

/// Up to three names; of more than that how many there are.
std::string some(const Sentences& names, std::string_view kind) {
  return names.size() > kMostNames ? fmt::format("{} {}", names.size(), kind)
                                   : fmt::format("{}", fmt::join(names, ", "));
}

/// The media of robots.
class Media {
 public:
  explicit Media(const RunStatus& status) : of_stations_(!status.access_points) {
    for (const MediumStatus& medium : status.media) {
      for (const std::string& robot : medium.robots) {
        media_[robot] = &medium;
      }
    }
  }

  [[nodiscard]] const MediumStatus* of(const std::string& robot) const {
    const auto found = media_.find(robot);
    return found == media_.end() ? nullptr : found->second;
  }
  /// Radios of different media do not receive one another at any distance. Over access points they need not.
  [[nodiscard]] bool are_different(const LinkStatus& link) const {
    const MediumStatus* const from = of(link.from);
    const MediumStatus* const to = of(link.to);
    return !link.reachable && of_stations_ && from != nullptr && to != nullptr && from != to;
  }

 private:
  bool of_stations_;
  std::map<std::string, const MediumStatus*> media_;
};

/// What the reasons of all links have in common.
class Reasons {
 public:
  Reasons(const RunStatus& status, const NamedObstacles& obstacles)
      : status_(status), obstacles_(obstacles), media_(status) {
    for (const RobotStatus& robot : status.robots) {
      robots_[robot.name] = &robot;
    }
    const auto blocked =
        std::ranges::count_if(status.links, [](const LinkStatus& link) { return !link.line_of_sight; });
    const std::size_t of_line =
        obstacles.boxes.size() + (obstacles.buildings ? kBoxesOfPlace : 0) + (obstacles.ground ? kBoxesOfPlace : 0);
    names_walls_ = static_cast<std::size_t>(blocked) * of_line <= kMostCrossings;
  }

  /// The strongest first.
  [[nodiscard]] Sentences of(const LinkStatus& link) const {
    Sentences reasons;
    add_robots(link, reasons);
    add_assignments(link, reasons);
    add_radio(link, reasons);
    add_air(link, reasons);
    if (link.configured_loss && link.configured_loss->value >= kLeastLoss) {
      reasons.push_back(
          fmt::format("Configured: `links` loses {} of its frames.", percent_text(link.configured_loss->value)));
    }
    return reasons;
  }

 private:
  [[nodiscard]] const RobotStatus* robot(const std::string& name) const {
    const auto found = robots_.find(name);
    return found == robots_.end() ? nullptr : found->second;
  }

  void add_robots(const LinkStatus& link, Sentences& reasons) const {
    for (const ConditionStatus& condition : status_.conditions) {
      if (condition.name == "wired") {
        reasons.push_back(condition.text + ".");
      }
    }
    for (const std::string& name : {link.from, link.to}) {
      if (const RobotStatus* end = robot(name); end != nullptr && end->unplugged) {
        reasons.push_back(fmt::format("{} is unplugged: its port {} is not up.", name, end->port));
      }
    }
  }

  // links.FROM.TO.KEY=VALUE, where an end is the radio, its robot, or * for every robot.
  void add_assignments(const LinkStatus& link, Sentences& reasons) const {
    for (const std::string& assignment : status_.assignments) {
      const std::string_view key = key_of(assignment);
      if (!assignment.ends_with('=') && key.starts_with(kLinks) && names_link(key.substr(kLinks.size()), link)) {
        reasons.push_back("Set by hand: " + assignment);
      }
    }
  }
  static bool names_link(std::string_view key, const LinkStatus& link) {
    for (const std::string& from : names_of_end(link.from)) {
      for (const std::string& to : names_of_end(link.to)) {
        const std::string ends = from + "." + to;
        const char next = key.size() > ends.size() ? key[ends.size()] : '.';
        if (key.starts_with(ends) && (next == '.' || next == '[')) {
          return true;
        }
      }
    }
    return false;
  }
  static std::vector<std::string> names_of_end(const std::string& radio) {
    return {radio, radio.substr(0, radio.find('.')), "*"};
  }

  void add_radio(const LinkStatus& link, Sentences& reasons) const {
    if (media_.are_different(link)) {
      reasons.push_back(fmt::format("Different radios: {}'s is on {}, {}'s on {}; they do not receive one another.",
                                    link.from, media_.of(link.from)->domain, link.to, media_.of(link.to)->domain));
      return;
    }
    const RobotStatus* const from = robot(link.from);
    const RobotStatus* const to = robot(link.to);
    std::optional<Segment> line;
    if (from != nullptr && to != nullptr && from->position && to->position) {
      line = Segment{*from->position, *to->position};
    }
    const std::string far = line ? fmt::format(", over {}", number_text(line->length(), "m")) : "";
    if (!link.line_of_sight) {
      const Sentences between = line && names_walls_ ? obstacles_.between(*line) : Sentences{};
      const bool is_ground = between.size() == 1 && between.front() == kGround;
      reasons.push_back(fmt::format("No line of sight: {} {} between them.",
                                    between.empty() ? "something" : some(between, "obstacles"),
                                    is_ground            ? "is"
                                    : between.size() > 1 ? "stand"
                                                         : "stands"));
    }
    if (!link.reachable) {
      reasons.push_back(fmt::format("Out of range: {} does not detect {}{}.", link.to, link.from, far));
    } else if (!is_decodable(link)) {
      reasons.push_back(
          fmt::format("Detected only: at {} SNR{} no full frame can be decoded, and {} still waits while {} sends.",
                      decibel_text(link.snr.value), far, link.to, link.from));
    } else if (link.frame_loss.value >= kLossOfATry) {
      reasons.push_back(fmt::format("Weak: at {} SNR{} a try of a full frame is lost with {}.",
                                    decibel_text(link.snr.value), far, percent_text(link.frame_loss.value)));
    }
  }

  void add_air(const LinkStatus& link, Sentences& reasons) const {
    if (const MediumStatus* const air = media_.of(link.from); air != nullptr && air->utilisation_last_s >= kBusyAir) {
      reasons.push_back(fmt::format("The air of {} is in use {} of the time: frames wait and queues overflow.",
                                    air->domain, percent_text(air->utilisation_last_s)));
    }
  }

  const RunStatus& status_;
  const NamedObstacles& obstacles_;
  std::map<std::string, const RobotStatus*> robots_;
  Media media_;
  bool names_walls_ = true;
};

void add_conditions(const RunStatus& status, std::string_view severity, std::string_view grade,
                    std::vector<FindingStatus>& findings) {
  for (std::size_t i = 0; i < status.conditions.size(); ++i) {
    if (status.conditions[i].severity == severity) {
      findings.push_back({.grade = grade, .text = status.conditions[i].text, .condition = i});
    }
  }
}

struct LossyLinks {
  Sentences names{};
  double worst = 0;
};

// What cannot be decoded any more is lost from now on, whatever has arrived a moment ago. Robots with different radios
// are apart: on purpose they remain so, and would hide links that are cut.
LossyLinks lossy_links(const RunStatus& status, std::span<const std::optional<double>> losses, double from,
                       double below, bool different_radios = false) {
  const Media media(status);
  LossyLinks lossy;
  for (std::size_t i = 0; i < std::min(losses.size(), status.links.size()); ++i) {
    const LinkStatus& link = status.links[i];
    const double loss = is_decodable(link) ? losses[i].value_or(0) : 1;
    if (losses[i] && loss >= from && loss < below && media.are_different(link) == different_radios) {
      lossy.names.push_back(fmt::format("{} -> {}", link.from, link.to));
      lossy.worst = std::max(lossy.worst, loss);
    }
  }
  return lossy;
}

// Links that deliver next to nothing stand before warnings, lossy ones before notes.
std::vector<FindingStatus> findings_of(const RunStatus& status, std::span<const std::optional<double>> losses,
                                       std::optional<double> of_all) {
  std::vector<FindingStatus> findings;
  add_conditions(status, "error", "bad", findings);
  if (!status.totals.balanced) {
    findings.push_back(
        {.grade = "bad", .text = "deliveries are not all accounted for: this is a fault of the gateway"});
  }
  if (const LossyLinks dead = lossy_links(status, losses, kDead, HUGE_VAL); !dead.names.empty()) {
    findings.push_back({.grade = "bad", .text = some(dead.names, "links") + ": hardly anything arrives"});
  }
  if (of_all && *of_all >= kDead) {
    findings.push_back({.grade = "bad", .text = fmt::format("{} of all frames are lost", percent_text(*of_all))});
  }
  add_conditions(status, "warning", "doubtful", findings);
  if (const LossyLinks deaf = lossy_links(status, losses, 0, HUGE_VAL, true); !deaf.names.empty()) {
    findings.push_back({.grade = "doubtful",
                        .text = some(deaf.names, "links") + ": used, and between different radios: nothing arrives"});
  }
  if (const LossyLinks weak = lossy_links(status, losses, kLossy, kDead); !weak.names.empty()) {
    findings.push_back(
        {.grade = "doubtful",
         .text = fmt::format("{}: frames are lost ({})", some(weak.names, "links"), percent_text(weak.worst))});
  }
  if (of_all && *of_all >= kLossy && *of_all < kDead) {
    findings.push_back({.grade = "doubtful", .text = fmt::format("{} of all frames are lost", percent_text(*of_all))});
  }
  add_conditions(status, "note", "note", findings);
  return findings;
}

}  // namespace

void RecentLoss::count(std::uint64_t released, std::uint64_t dropped, Nanoseconds at) {
  constexpr std::uint64_t kEnough = 5;
  constexpr std::chrono::seconds kLongest{10};
  const bool grew = since_ && released >= released_ && dropped >= dropped_;
  const std::uint64_t decided = grew ? released - released_ + dropped - dropped_ : 0;
  const bool over = grew && at - *since_ >= kLongest;
  if (grew && decided < kEnough && !over) {
    return;
  }
  value_ = decided > 0 ? std::optional(static_cast<double>(dropped - dropped_) / static_cast<double>(decided))
                       : std::nullopt;
  released_ = released;
  dropped_ = dropped;
  since_ = at;
}

std::vector<std::string> NamedObstacles::between(const Segment& line) const {
  std::vector<std::string> names;
  for (const NamedWall& wall : boxes) {
    if (const auto chord = chord_of(line, wall.box); chord && chord->enter < 1 && chord->leave > 0) {
      names.push_back(fmt::format("{} ({})", wall.name, wall.material));
    }
  }
  if (buildings) {
    for (const std::uint32_t prism : buildings->crossed(line)) {
      const GeoBuilding& building = place->buildings[prism];
      const bool is_known = building.material != "building";
      names.push_back(
          fmt::format("building {}{}", building.name, is_known ? fmt::format(" ({})", building.material) : ""));
    }
  }
  if (ground && ground->blocks(line)) {
    names.emplace_back(kGround);
  }
  return names;
}

void diagnose(RunStatus& status, const NamedObstacles& obstacles, std::span<const std::optional<double>> losses,
              std::optional<double> of_all) {
  const Reasons reasons(status, obstacles);
  for (std::size_t i = 0; i < status.links.size(); ++i) {
    status.links[i].reasons = reasons.of(status.links[i]);
    if (status.links[i].reasons.empty() && i < losses.size() && losses[i].value_or(0) >= kLeastLoss) {
      status.links[i].reasons.emplace_back("Nothing stands out: the drop reasons name what became of the frames.");
    }
  }
  status.findings = findings_of(status, losses, of_all);
}

}  // namespace hilgate
