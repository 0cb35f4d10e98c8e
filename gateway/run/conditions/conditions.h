// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clock/time.h"

namespace hilgate {

/// Something about a run that people must know to believe its results: a fault, or a deviation from the configuration.
/// docs/reference/conditions.md lists all of them.
struct Condition {
  std::string name;       // its kind, for programs: "simulator_silent"
  std::string about{};    // robot, port or simulator; of one kind there is one about each; may be empty
  std::string text;       // one line for people: what, where, what to do
  bool is_logged = true;  // false: its finder writes the log
  Nanoseconds lasts{0};   // shown so long after it was last seen: for what is measured over some time
};

/// How much a condition stands against the results of a run.
enum class Severity : std::uint8_t {
  kError,    // something that was asked for does not work
  kWarning,  // results differ from the configuration
  kNote,     // as the configuration has it, and worth to know
};

/// Of a kind of conditions; of one that the table does not have, kWarning.
Severity severity_of(std::string_view name);
/// "error", "warning", "note".
std::string_view name_of(Severity severity);

/// "red, blue and 18 more": the first kNamesShown of a list that may be long, and `others` besides. Requires one name.
std::string name_list(const std::vector<std::string>& names, std::size_t others = 0);
inline constexpr std::size_t kNamesShown = 6;

/// The active conditions, and since when. Each is logged as a warning when it begins, and again when it ends. Control
/// thread.
class Conditions {
 public:
  struct Standing {
    Condition condition;  // with its newest text
    HostTime since{};
    HostTime seen{};  // last
  };

  /// Called when one begins, and when it is over.
  using News = std::function<void(const Condition& condition, bool begins)>;
  void tell(News news) { news_ = std::move(news); }

  /// These are there now, each kind once about each thing.
  void update(std::vector<Condition> found, HostTime now);

  /// In the order in which they began.
  [[nodiscard]] const std::vector<Standing>& standing() const { return standing_; }

 private:
  std::vector<Standing> standing_;
  News news_ = [](const Condition&, bool) {};
};

}  // namespace hilgate
