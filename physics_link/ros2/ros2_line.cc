// SPDX-License-Identifier: Apache-2.0
#include "physics_link/ros2/ros2_line.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <system_error>

namespace hilgate {
namespace {

constexpr std::string_view kPose = "pose";
constexpr std::string_view kFix = "fix";
constexpr std::string_view kTrouble = "trouble";
constexpr std::string_view kClockWord = "clock";

// The words of a line, one after the other; an empty one when there is no more.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  std::string_view next() {
    const std::size_t end = rest_.find(' ');
    const std::string_view word = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    return word;
  }
  template <class Number>
  Number number() {
    const std::string_view word = next();
    Number value{};
    const auto [stop, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
    good_ = good_ && failed == std::errc() && stop == word.data() + word.size();
    return value;
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

std::string line_of(const Ros2Pose& pose) {
  const auto& [robot, stamp, at, turned] = pose;
  return fmt::format("{} {} {} {} {} {} {} {} {} {}\n", kPose, robot.value(), stamp.time_since_epoch().count(), at.x,
                     at.y, at.z, turned.w, turned.x, turned.y, turned.z);
}

std::string line_of(const Ros2Fix& fix) {
  const auto& [robot, stamp, at] = fix;
  return fmt::format("{} {} {} {} {} {}\n", kFix, robot.value(), stamp.time_since_epoch().count(), at.lat_deg,
                     at.lon_deg, at.alt_m);
}

std::string line_of(const Ros2Trouble& trouble) {
  return fmt::format("{} {} {}\n", kTrouble, trouble.robot.value(), trouble.text);
}

std::string line_of(const Ros2Clock& clock) {
  return fmt::format("{} {}\n", kClockWord, clock.shows.count());
}

Ros2Line parse_ros2_line(std::string_view line) {
  Words words(line);
  const std::string_view kind = words.next();
  if (kind == kClockWord) {
    const Ros2Clock clock{Nanoseconds(words.number<std::int64_t>())};
    return words.good() && words.rest().empty() ? Ros2Line(clock) : std::monostate();
  }
  const RobotIndex robot{words.number<std::uint32_t>()};
  if (kind == kTrouble && words.good()) {
    return Ros2Trouble{robot, std::string(words.rest())};
  }
  const UnixTime stamp(Nanoseconds(words.number<std::int64_t>()));
  if (kind == kFix) {
    Ros2Fix fix{.robot = robot, .stamp = stamp};
    for (double* const part : {&fix.at.lat_deg, &fix.at.lon_deg, &fix.at.alt_m}) {
      *part = words.number<double>();
    }
    return words.good() && words.rest().empty() ? Ros2Line(fix) : std::monostate();
  }
  Ros2Pose pose{.robot = robot, .stamp = stamp};
  for (double* const part :
       {&pose.at.x, &pose.at.y, &pose.at.z, &pose.turned.w, &pose.turned.x, &pose.turned.y, &pose.turned.z}) {
    *part = words.number<double>();
  }
  if (kind != kPose || !words.good() || !words.rest().empty()) {
    return {};
  }
  return pose;
}

}  // namespace hilgate
