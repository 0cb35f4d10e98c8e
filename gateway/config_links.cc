// SPDX-License-Identifier: Apache-2.0
#include "gateway/config_checks.h"
#include "gateway/config_sections.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

const std::vector<std::pair<std::string, ErrorPolicy>> kPolicies = {{"fcs_drop", ErrorPolicy::kFcsDrop},
                                                                    {"arq", ErrorPolicy::kArq},
                                                                    {"corrupt_raw", ErrorPolicy::kCorruptRaw},
                                                                    {"corrupt_fixsum", ErrorPolicy::kCorruptFixsum},
                                                                    {"mark_only", ErrorPolicy::kMarkOnly}};

/// A robot by name, or nothing for "*".
std::optional<RobotId> read_end(YamlReader& link, std::string_view key, const std::vector<std::string>& robots) {
  const auto name = link.required<std::string>(key);
  if (!link.has(key) || name == "*") {
    return std::nullopt;
  }
  const auto place = place_of(link.child(key), name, "robot or \"*\"", robots);
  return place ? std::make_optional(RobotId{*place}) : std::nullopt;
}

LinkOverride read_link(YamlReader& link, const std::vector<std::string>& robots) {
  constexpr Range<Nanoseconds> kDelay{0ns, 1h, "0s to 1h"};
  constexpr Range<double> kBer{0, 1, "0 to 1, for example 1e-5"};
  LinkOverride change;
  change.from = read_end(link, "from", robots);
  change.to = read_end(link, "to", robots);
  if (change.from && change.from == change.to) {
    link.fault(fmt::format("goes from '{0}' to '{0}'; a robot has no link to itself", robots[change.to->value()]));
  }
  change.delay = read_within(link, "delay", kDelay);
  if (const auto loss = link.optional<Probability>("loss")) {
    change.loss = loss->value;
  }
  change.ber = read_within(link, "ber", kBer);
  if (link.has("policy")) {
    change.policy = link.choice<ErrorPolicy>("policy", kPolicies);
  }
  if (!link.has("delay") && !link.has("loss") && !link.has("ber") && !link.has("policy")) {
    link.fault("changes nothing; give at least one of delay, loss, ber, policy");
  }
  return change;
}

}  // namespace

void read_links(YamlReader& root, Configuration& configuration) {
  const auto robots = names_of(configuration.robots);
  for (YamlReader& link : root.items("links")) {
    configuration.links.push_back(read_link(link, robots));
  }
}

}  // namespace hilgate
