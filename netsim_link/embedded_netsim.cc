// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded_netsim.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace hilgate {
namespace {

using Profile = std::shared_ptr<const RadioProfile>;

bool same_air(const RadioProfile& a, const RadioProfile& b) {
  return a.phy.frequency_hz == b.phy.frequency_hz && a.phy.bandwidth_hz == b.phy.bandwidth_hz &&
         a.mac.slot == b.mac.slot && a.mac.sifs == b.mac.sifs && a.mac.cw_min == b.mac.cw_min &&
         a.mac.cw_max == b.mac.cw_max;
}

/// Adds a mode to the plan unless it is there already.
std::uint8_t planned(const PhyMode& mode, std::vector<PhyMode>& modes) {
  const auto known = std::find(modes.begin(), modes.end(), mode);
  const auto index = known - modes.begin();
  if (known == modes.end()) {
    if (index > std::numeric_limits<std::uint8_t>::max()) {
      throw std::runtime_error("the robots' radio profiles have more than 256 different modes; use fewer profiles");
    }
    modes.push_back(mode);
  }
  return static_cast<std::uint8_t>(index);
}

MediumMember member_of(RobotId robot, const Profile& profile, std::vector<PhyMode>& modes) {
  MediumMember member{robot, profile, {}};
  for (const RadioMode& mode : profile->phy.modes) {
    member.plan_modes.push_back(planned(mode.phy, modes));
  }
  return member;
}

/// The members of each domain, in the order in which robots first name one.
class Domains {
 public:
  std::uint32_t join(MediumMember member) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const RadioProfile& first = *members_[i].front().profile;
      if (first.mac.domain == member.profile->mac.domain) {
        if (!same_air(first, *member.profile)) {
          throw std::runtime_error(
              fmt::format("the radio profiles '{}' and '{}' share the domain '{}' but not frequency, bandwidth, slot, "
                          "SIFS and contention window; give one of them a domain of its own",
                          first.id, member.profile->id, first.mac.domain));
        }
        members_[i].push_back(std::move(member));
        return static_cast<std::uint32_t>(i);
      }
    }
    members_.push_back({std::move(member)});
    return static_cast<std::uint32_t>(members_.size() - 1);
  }
  [[nodiscard]] const std::vector<std::vector<MediumMember>>& members() const { return members_; }

 private:
  std::vector<std::vector<MediumMember>> members_;
};

}  // namespace

EmbeddedNetsim::EmbeddedNetsim(std::vector<Profile> radios, const std::vector<Material>& materials, std::uint64_t seed)
    : robots_(radios.size()) {
  Domains domains;
  for (std::size_t i = 0; i < robots_; ++i) {
    const RadioMac& mac = radios[i]->mac;
    const std::uint32_t domain =
        domains.join(member_of(RobotId{static_cast<std::uint32_t>(i)}, radios[i], plan_.modes));
    plan_.stations.push_back(Station{.domain = domain, .queue_frames = mac.queue_frames});
    // By LinkId: all links of one sender lie together.
    LinkRules rules;
    rules.policy = radios[i]->policy;
    rules.tries = mac.tries;
    plan_.rules.insert(plan_.rules.end(), robots_, rules);
  }
  for (const std::vector<MediumMember>& members : domains.members()) {
    const RadioMac& mac = members.front().profile->mac;
    plan_.domains.push_back({.slot = mac.slot, .difs = mac.difs(), .cw_min = mac.cw_min, .cw_max = mac.cw_max});
    media_.emplace_back(members, materials, robots_, seed);
  }
}

void EmbeddedNetsim::link_states(const Scene& scene, LinkTable& table) {
  if (scene.robots.size() != robots_ || scene.sights.size() != pair_count(robots_)) {
    throw std::runtime_error(fmt::format("a scene with {} robots and {} pairs came for {} robots", scene.robots.size(),
                                         scene.sights.size(), robots_));
  }
  table.at = scene.at;
  LinkState silent;
  silent.reachable = false;
  table.links.assign(robots_ * robots_, silent);
  for (RadioMedium& medium : media_) {
    medium.link_states(scene, table.links);
  }
}

}  // namespace hilgate
