// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/run_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "gateway/views/top/text_table.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;
using Place = std::array<double, 3>;
using Sentences = std::vector<std::string>;

constexpr double kBusyAir = 0.9;
constexpr double kLossOfATry = 0.1;
constexpr double kFullFrame = 1514;  // bytes
constexpr double kMostTries = 7;

const Json* robot_of(const SeenRun& run, const std::string& name) {
  for (const Json& robot : part_of(*run.status, "robots")) {
    if (robot.value("name", "") == name) {
      return &robot;
    }
  }
  return nullptr;
}

std::optional<Place> place_of(const Json* robot) {
  if (robot == nullptr || part_of(*robot, "position").size() != 3) {
    return std::nullopt;
  }
  return part_of(*robot, "position").get<Place>();
}

// Whether the line from `a` to `b` passes through the box between the corners `low` and `high`.
bool crosses(const Place& a, const Place& b, const Place& low, const Place& high) {
  double enter = 0;
  double leave = 1;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    const double way = b[axis] - a[axis];
    const double near = low[axis] - a[axis];
    const double far = high[axis] - a[axis];
    if (way == 0) {
      if (near > 0 || far < 0) {
        return false;
      }
    } else {
      enter = std::max(enter, std::min(near / way, far / way));
      leave = std::min(leave, std::max(near / way, far / way));
    }
  }
  return enter < leave;
}

std::string walls_between(const SeenRun& run, const Place& a, const Place& b) {
  std::string walls;
  if (!run.world.is_object()) {
    return walls;
  }
  for (const Json& each : part_of(run.world, "obstacles")) {
    if (crosses(a, b, each.at("low_m").get<Place>(), each.at("high_m").get<Place>())) {
      walls += fmt::format("{}{} ({})", walls.empty() ? "" : ", ", each.value("name", ""), each.value("material", ""));
    }
  }
  return walls;
}

void add_robot_reasons(Sentences& reasons, const SeenRun& run, const SeenLink& link) {
  for (const Json& condition : part_of(*run.status, "conditions")) {
    if (condition.value("name", "") == "wired") {
      reasons.push_back(condition.value("text", "") + ".");
    }
  }
  for (const std::string& name : {link.counts.from, link.counts.to}) {
    const Json* robot = robot_of(run, name);
    if (robot != nullptr && robot->value("unplugged", false)) {
      reasons.push_back(fmt::format("{} is unplugged: its port {} is not up.", name, robot->value("port", "")));
    }
  }
}

// What `hilgate set` has changed of it: links.FROM.TO.KEY=VALUE, where * stands for every robot.
void add_set_reasons(Sentences& reasons, const SeenRun& run, const SeenLink& link) {
  for (const Json& each : part_of(*run.status, "assignments")) {
    const auto assignment = each.get<std::string>();
    for (const std::string& from : {link.counts.from, std::string("*")}) {
      for (const std::string& to : {link.counts.to, std::string("*")}) {
        const std::string key = fmt::format("links.{}.{}", from, to);
        const bool about = assignment.starts_with(key + ".") || assignment.starts_with(key + "=");
        if (about && !assignment.ends_with('=')) {
          reasons.push_back("Set by hand: " + assignment);
        }
      }
    }
  }
}

std::string medium_of(const SeenRun& run, const std::string& robot) {
  for (const Json& medium : part_of(*run.status, "media")) {
    const Json& robots = part_of(medium, "robots");
    if (std::ranges::find(robots, Json(robot)) != robots.end()) {
      return medium.value("domain", "");
    }
  }
  return {};
}

// Radios of different media do not hear one another, however near. Over access points they need not.
bool add_different_radios(Sentences& reasons, const SeenRun& run, const SeenLink& link) {
  const std::string from = medium_of(run, link.counts.from);
  const std::string to = medium_of(run, link.counts.to);
  if (link.reachable || run.status->contains("access_points") || from.empty() || to.empty() || from == to) {
    return false;
  }
  reasons.push_back(fmt::format("Different radios: {}'s is on {}, {}'s on {}; they do not hear one another.",
                                link.counts.from, from, link.counts.to, to));
  return true;
}

void add_radio_reasons(Sentences& reasons, const SeenRun& run, const SeenLink& link) {
  if (add_different_radios(reasons, run, link)) {
    return;
  }
  const std::string& from = link.counts.from;
  const std::string& to = link.counts.to;
  const auto a = place_of(robot_of(run, from));
  const auto b = place_of(robot_of(run, to));
  const std::string far =
      a && b ? fmt::format(", over {}",
                           number_text(std::hypot((*b)[0] - (*a)[0], (*b)[1] - (*a)[1], (*b)[2] - (*a)[2]), "m"))
             : "";
  const std::string walls = a && b ? walls_between(run, *a, *b) : "";
  if (!link.line_of_sight) {
    reasons.push_back(fmt::format("No line of sight: {} stands between them.", walls.empty() ? "something" : walls));
  } else if (!walls.empty()) {
    reasons.push_back(walls + " stands between them.");
  }
  if (!link.reachable) {
    reasons.push_back(fmt::format("Out of reach: {} cannot even hear {}{}.", to, from, far));
  } else if (link.heard_only()) {
    reasons.push_back(
        fmt::format("Heard only: at {} SNR{} no full frame can be decoded, and {} still waits while {} sends.",
                    decibel_text(link.snr_db), far, to, from));
  } else if (link.frame_loss >= kLossOfATry) {
    reasons.push_back(fmt::format("Weak: at {} SNR{} a try of a full frame is lost with {}.", decibel_text(link.snr_db),
                                  far, percent_text(link.frame_loss)));
  }
}

void add_air_reasons(Sentences& reasons, const SeenRun& run, const SeenLink& link) {
  for (const Json& medium : part_of(*run.status, "media")) {
    const double use = medium.value("utilisation_last_s", 0.0);
    const Json& robots = part_of(medium, "robots");
    if (use >= kBusyAir && std::ranges::find(robots, Json(link.counts.from)) != robots.end()) {
      reasons.push_back(fmt::format("The air of {} is in use {} of the time: frames wait and queues overflow.",
                                    medium.value("domain", ""), percent_text(use)));
    }
  }
}

}  // namespace

std::vector<std::string> reasons_of(const SeenRun& run, const SeenLink& link) {
  Sentences reasons;
  add_robot_reasons(reasons, run, link);
  add_set_reasons(reasons, run, link);
  add_radio_reasons(reasons, run, link);
  add_air_reasons(reasons, run, link);
  if (reasons.empty()) {
    reasons.emplace_back(link.decided > 0 && link.loss > 0.01
                             ? "Nothing stands out: the drops below say what became of the frames."
                             : "Nothing is wrong with this link.");
  }
  return reasons;
}

std::vector<std::pair<std::string, double>> delay_parts(const SeenLink& link) {
  const double once = link.rate_mbps > 0 ? kFullFrame * 8 / link.rate_mbps : 0;
  const double tries = std::min(kMostTries, 1 / (1 - link.frame_loss));
  return {{"way and access", link.delay_us}, {"on the air", once}, {"repeated", once * std::max(0.0, tries - 1)}};
}

namespace {

constexpr double kLossy = 0.05;
constexpr double kDead = 0.6;

struct LossyLinks {
  std::string names;  // as long as they are few
  std::size_t count = 0;
  double worst = 0;
};

LossyLinks lossy_links(const SeenRun& run, double from, double below) {
  constexpr std::size_t kMostNames = 3;
  LossyLinks lossy;
  for (const SeenLink& link : run.links) {
    if (link.busy && link.loss >= from && link.loss < below) {
      ++lossy.count;
      lossy.worst = std::max(lossy.worst, link.loss);
      lossy.names += fmt::format("{}{} -> {}", lossy.names.empty() ? "" : ", ", link.counts.from, link.counts.to);
    }
  }
  if (lossy.count > kMostNames) {
    lossy.names = fmt::format("{} links", lossy.count);
  }
  return lossy;
}

// The first condition of that severity; those of a gateway that says none are errors.
const Json* condition_of(const SeenRun& run, std::string_view severity) {
  for (const Json& condition : part_of(*run.status, "conditions")) {
    if (condition.value("severity", "error") == severity) {
      return &condition;
    }
  }
  return nullptr;
}

}  // namespace

RunVerdict verdict_of(const SeenRun& run) {
  if (!run.problem.empty()) {
    return {Grade::kBad, fmt::format("no answer for {:.0f} s: {}; waiting for it", run.problem_s, run.problem)};
  }
  if (run.status == nullptr) {
    return {Grade::kDoubtful, "waiting for the gateway's first answer"};
  }
  if (const Json* error = condition_of(run, "error")) {
    return {Grade::kBad, error->value("text", "")};
  }
  if (!part_of(*run.status, "totals").value("balanced", true)) {
    return {Grade::kBad, "deliveries are not all accounted for: this is a fault of the gateway"};
  }
  if (const LossyLinks dead = lossy_links(run, kDead, 2); dead.count > 0) {
    return {Grade::kBad, dead.names + ": hardly anything arrives"};
  }
  if (const Json* warning = condition_of(run, "warning")) {
    return {Grade::kDoubtful, warning->value("text", "")};
  }
  if (const LossyLinks weak = lossy_links(run, kLossy, kDead); weak.count > 0) {
    return {Grade::kDoubtful, fmt::format("{}: frames are lost ({})", weak.names, percent_text(weak.worst))};
  }
  if (const Json* note = condition_of(run, "note")) {
    return {Grade::kGood, note->value("text", "")};
  }
  if (run.out + run.lost == 0) {
    return {Grade::kGood, "all is well; no robot sends anything"};
  }
  return {Grade::kGood,
          fmt::format("all is well; {} frames delivered in the last second", count_text(static_cast<double>(run.out)))};
}

}  // namespace hilgate
