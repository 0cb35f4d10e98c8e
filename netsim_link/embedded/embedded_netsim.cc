// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/embedded_netsim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include "host/large_pages.h"

namespace hilgate {
namespace {

using Profile = std::shared_ptr<const RadioProfile>;

bool same_air(const RadioProfile& a, const RadioProfile& b) {
  return a.phy.frequency == b.phy.frequency && a.phy.bandwidth == b.phy.bandwidth && a.mac.access == b.mac.access &&
         a.mac.slot == b.mac.slot && a.mac.sifs == b.mac.sifs && a.mac.cw_min == b.mac.cw_min &&
         a.mac.cw_max == b.mac.cw_max && a.mac.carrier_sense == b.mac.carrier_sense && a.mac.cca == b.mac.cca &&
         a.mac.interframe == b.mac.interframe && a.mac.most_busy == b.mac.most_busy &&
         a.mac.tdma_slot == b.mac.tdma_slot && a.mac.tdma_guard == b.mac.tdma_guard &&
         a.mac.tdma_yields == b.mac.tdma_yields && a.mac.mesh == b.mac.mesh &&
         a.mac.cell.has_value() == b.mac.cell.has_value() &&
         (!a.mac.cell || a.mac.cell->both_ways == b.mac.cell->both_ways);
}

/// Adds a mode to the plan unless it is there already.
std::uint8_t planned(const RadioMode& mode, AirPlan& plan) {
  const auto known = std::find(plan.modes.begin(), plan.modes.end(), mode.phy);
  const auto index = known - plan.modes.begin();
  if (known == plan.modes.end()) {
    if (index > std::numeric_limits<std::uint8_t>::max()) {
      throw std::runtime_error("the robots' radio profiles have more than 256 different modes; use fewer profiles");
    }
    plan.modes.push_back(mode.phy);
    plan.errors.push_back({mode.hazard, mode.ack_hazard});
  }
  return static_cast<std::uint8_t>(index);
}

MediumMember member_of(RobotIndex robot, const Profile& profile, const AntennaMount& mount, AirPlan& plan) {
  MediumMember member{robot, profile, {}, mount, profile->mac.cell && profile->mac.cell->base};
  for (const RadioMode& mode : profile->phy.modes) {
    member.plan_modes.push_back(planned(mode, plan));
  }
  return member;
}

/// The radios that hear one another, in the order in which robots first name their domain.
class Media {
 public:
  void join(MediumMember member) {
    for (std::vector<MediumMember>& members : members_) {
      const RadioProfile& first = *members.front().profile;
      if (first.mac.domain == member.profile->mac.domain) {
        if (!same_air(first, *member.profile)) {
          throw std::runtime_error(fmt::format(
              "the radio profiles '{}' and '{}' share the domain '{}' but differ in frequency, bandwidth, medium "
              "access, slot, SIFS, contention window, carrier sense, TDM window, duplex or mesh; give one of them a "
              "separate domain",
              first.id, member.profile->id, first.mac.domain));
        }
        members.push_back(std::move(member));
        return;
      }
    }
    members_.push_back({std::move(member)});
  }
  [[nodiscard]] const std::vector<std::vector<MediumMember>>& members() const { return members_; }

 private:
  std::vector<std::vector<MediumMember>> members_;
};

constexpr Dbm kHearsAll{-1000};

AirDomain domain_of(const RadioMac& mac) {
  AirDomain domain{.slot = mac.slot,
                   .difs = mac.difs(),
                   .cw_min = mac.cw_min,
                   .cw_max = mac.cw_max,
                   .access = mac.access,
                   .carrier_sense_dbm = static_cast<float>(mac.carrier_sense.value_or(kHearsAll).value),
                   .interference_weight = mac.interference_weight,
                   .tdma_slot = mac.tdma_slot,
                   .tdma_guard = mac.tdma_guard,
                   .tdma_yields = mac.tdma_yields,
                   .cca = mac.cca,
                   .turnaround = mac.sifs,
                   .interframe = mac.interframe,
                   .most_busy = mac.most_busy,
                   .name = mac.domain};
  if (mac.mesh) {
    domain.mesh = mac.mesh->forwarding;
  }
  if (mac.cell) {
    domain.both_ways = mac.cell->both_ways;
    domain.name += mac.cell->both_ways ? "" : mac.cell->base ? " down" : " up";
  }
  return domain;
}

Station station_of(const RadioProfile& radio, std::size_t domain) {
  const RadioMac& mac = radio.mac;
  return {.domain = static_cast<std::uint32_t>(domain),
          .queue_frames = mac.queue_frames,
          .aggregation = {mac.aggregation.frames, mac.aggregation.bytes, mac.aggregation.time},
          .duty = {mac.duty.share, mac.duty.period, mac.duty.drops},
          .more_ifs = mac.aifs() - mac.difs(),
          .rts_above = mac.rts_above,
          .edca = mac.edca,
          .base = mac.cell && mac.cell->base,
          .queue_bytes = mac.queue_bytes,
          .serial = radio.serial_payload,
          .icmp_mtu = radio.adaptation == Adaptation::kDropIcmp ? radio.mtu_bytes : 0};
}

LinkRules rules_of(const RadioProfile& radio) {
  LinkRules rules;
  rules.policy = radio.policy;
  rules.tries = radio.mac.tries;
  rules.mtu_bytes = radio.mtu_bytes;
  if (radio.mac.combining) {
    rules.combines = true;
    rules.repeat_delay = radio.mac.combining->round_trip;
  }
  return rules;
}

}  // namespace

EmbeddedNetsim::EmbeddedNetsim(std::vector<Profile> radios, const std::vector<Material>& materials, std::uint64_t seed,
                               std::shared_ptr<const SurveyedFloors> floors, const AccessNetwork& network,
                               const std::vector<AntennaMount>& mounts, FarPairRule far_pairs)
    : robots_(radios.size()), numbers_(robots_ + network.access_points.size()), scene_(network) {
  plan_.roles = roles_in(network, radios);
  plan_.distribution_delay = network.delay;
  for (const AccessPoint& point : network.access_points) {
    radios.push_back(point.radio);
  }
  Media media;
  for (std::size_t i = 0; i < numbers_; ++i) {
    if (!radios[i] && plan_.role(i) == AirRole::kNone) {
      without_radio_.push_back(static_cast<std::uint32_t>(i));
    } else if (plan_.role(i) != AirRole::kWired) {
      const AntennaMount mount = i >= robots_     ? network.access_points[i - robots_].antenna
                                 : mounts.empty() ? AntennaMount{}
                                                  : mounts[i];
      MediumMember member = member_of(RobotIndex{static_cast<std::uint32_t>(i)}, radios[i], mount, plan_);
      member.base = member.base || plan_.role(i) == AirRole::kAccessPoint;
      media.join(std::move(member));
    }
  }
  plan_rules(radios);
  plan_.stations.resize(numbers_);
  for (const std::vector<MediumMember>& members : media.members()) {
    plan_medium(members, network);
    if (const auto& mesh = members.front().profile->mac.mesh) {
      std::vector<RobotIndex> stations;
      std::ranges::transform(members, std::back_inserter(stations), &MediumMember::robot);
      meshes_.emplace_back(*mesh, std::move(stations), seed);
    }
    media_.emplace_back(members, materials, numbers_, seed, floors);
    media_.back().leave_out_far_pairs(plan_.roles.empty() ? far_pairs : FarPairRule::kNever);
  }
  if (plan_.modes.empty()) {
    plan_.modes.resize(1);  // never used for timing; a LinkState's mode 0 must point somewhere
    plan_.errors.resize(1);
  }
  if (!plan_.roles.empty()) {
    association_.emplace(network.roaming, plan_.roles, wired_attachments(network, robots_));
  }
}

// By LinkIndex: all links of one sender lie together. Between two robots of a network there is no radio.
void EmbeddedNetsim::plan_rules(const std::vector<Profile>& radios) {
  const auto on_network = [this](std::size_t number) {
    return plan_.role(number) == AirRole::kStation || plan_.role(number) == AirRole::kWired;
  };
  for (std::size_t from = 0; from < numbers_; ++from) {
    for (std::size_t to = 0; to < numbers_; ++to) {
      const bool without_radio = !radios[from] || (on_network(from) && on_network(to));
      plan_.rules.push_back(without_radio ? LinkRules{} : rules_of(*radios[from]));
    }
  }
}

std::uint64_t EmbeddedNetsim::outside_map() const {
  std::uint64_t outside = 0;
  for (const RadioMedium& medium : media_) {
    outside += medium.outside_map();
  }
  return outside;
}

std::vector<RobotIndex> EmbeddedNetsim::unoriented() const {
  std::vector<RobotIndex> robots;
  for (const RadioMedium& medium : media_) {
    medium.append_unoriented(robots);
  }
  robots.erase(
      std::remove_if(robots.begin(), robots.end(), [this](RobotIndex robot) { return robot.value() >= robots_; }),
      robots.end());
  return robots;
}

std::vector<FarPairs> EmbeddedNetsim::far_pairs() const {
  std::vector<FarPairs> of_media;
  for (const RadioMedium& medium : media_) {
    of_media.push_back(medium.far_pairs());
    of_media.back().threads = of_media.back().radios < kManyRadios ? 1 : threads_;
    if (!plan_.roles.empty()) {
      of_media.back().computed_because = "access points";
    }
  }
  return of_media;
}

void EmbeddedNetsim::plan_medium(const std::vector<MediumMember>& members, const AccessNetwork& network) {
  std::map<std::string, std::size_t> channels;  // the domain of each
  for (const MediumMember& member : members) {
    const std::size_t number = member.robot.value();
    if (plan_.role(number) == AirRole::kAccessPoint) {
      const std::string& channel = network.access_points[number - robots_].channel;
      const auto domain = channels.try_emplace(channel, plan_.domains.size());
      if (domain.second) {
        plan_.domains.push_back(domain_of(member.profile->mac));
        plan_.domains.back().name += ", channel " + channel;
      }
      plan_.stations[number] = station_of(*member.profile, domain.first->second);
    }
  }
  std::array<std::optional<std::size_t>, 2> ways;  // of a cell: up and down; with TDD the first alone
  for (const MediumMember& member : members) {
    const RadioMac& mac = member.profile->mac;
    std::optional<Station>& station = plan_.stations[member.robot.value()];
    if (!channels.empty()) {
      station = station ? station : station_of(*member.profile, channels.begin()->second);
      continue;
    }
    const bool alone = mac.access == MediumAccess::kScheduled && !mac.cell;  // never waits for another
    std::optional<std::size_t>& shared = ways[mac.cell && mac.cell->base && !mac.cell->both_ways ? 1 : 0];
    if (alone || !shared) {
      plan_.domains.push_back(domain_of(mac));
      shared = plan_.domains.size() - 1;
    }
    station = station_of(*member.profile, *shared);
    station->group_mode = member.plan_modes[mac.multicast_mode];
  }
}

// A frame between two robots of the network meets its radios' errors and delays on the way, and none where it arrives.
void EmbeddedNetsim::join_robots(LinkTable& table) const {
  for (std::uint32_t from = 0; from < robots_; ++from) {
    for (std::uint32_t to = 0; to < robots_; ++to) {
      if (plan_.roles[from] != AirRole::kNone && plan_.roles[to] != AirRole::kNone) {
        LinkState& link = table.links[link_of(RobotIndex{from}, RobotIndex{to}, numbers_).value()];
        link = {.rssi_dbm = link.rssi_dbm, .snr_db = link.snr_db, .line_of_sight = link.line_of_sight};
      }
    }
  }
}

void EmbeddedNetsim::join_wires(LinkTable& table) const {
  for (const std::uint32_t from : without_radio_) {
    for (const std::uint32_t to : without_radio_) {
      if (from != to && (here_.empty() || here_[from] || here_[to])) {
        const std::uint32_t link = link_of(RobotIndex{from}, RobotIndex{to}, numbers_).value();
        table.links[link] = LinkState{};
        if (table.sparse) {
          table.heard.push_back(link);
        }
      }
    }
  }
}

void EmbeddedNetsim::measured_links(const std::vector<std::shared_ptr<const Impairments>>& links) {
  if (links.size() != plan_.rules.size()) {
    throw std::logic_error("measured links are of other robots than the radios");
  }
  for (std::size_t link = 0; link < links.size(); ++link) {
    plan_.rules[link].impairments = links[link];
  }
}

bool EmbeddedNetsim::measured_sinr(RobotIndex from, RobotIndex to, const std::shared_ptr<const TraceSchedule>& trace) {
  return std::ranges::any_of(media_, [&](RadioMedium& medium) { return medium.measure(from, to, trace); });
}

void EmbeddedNetsim::share_work(unsigned threads) {
  const bool many = std::any_of(media_.begin(), media_.end(),
                                [](const RadioMedium& medium) { return medium.far_pairs().radios >= kManyRadios; });
  threads_ = many ? threads : 1;
  const auto crew = threads_ > 1 ? std::make_shared<WorkCrew>(threads_) : nullptr;
  for (RadioMedium& medium : media_) {
    medium.share_work(crew);
  }
}

void EmbeddedNetsim::leave_to_others(const std::vector<bool>& here) {
  if (here.size() != robots_ || numbers_ > robots_) {
    throw std::logic_error("links are left to others by robots that are not these, or together with access points");
  }
  here_ = here;
  for (RadioMedium& medium : media_) {
    if (!medium.is_mesh()) {
      medium.leave_to_others(here);
    }
  }
}

void EmbeddedNetsim::change(const AirChanges& changes) {
  AirChanges all = changes;
  if (numbers_ > robots_) {
    all.path_loss_db.clear();  // between robots of a network there is no radio
  }
  for (RadioMedium& medium : media_) {
    medium.change(all);
  }
}

void EmbeddedNetsim::link_states(const Scene& scene, LinkTable& table) {
  if (scene.robots.size() != robots_ || scene.sights.size() != pair_count(robots_)) {
    throw std::runtime_error(fmt::format("the scene has {} robots and {} pairs; {} robots are configured",
                                         scene.robots.size(), scene.sights.size(), robots_));
  }
  table.at = scene.at;
  update_media(scene_.extend(scene), table);
  if (association_) {
    association_->update(table);
    join_robots(table);
  }
  join_wires(table);
  update_routes(table);
}

void EmbeddedNetsim::update_media(const Scene& everybody, LinkTable& table) {
  bool sparse = false;
  for (RadioMedium& medium : media_) {
    sparse = medium.move(everybody) || sparse;
  }
  if (sparse) {
    heard_.begin(table, numbers_ * numbers_);
  } else {
    table.sparse = false;
    if (media_.size() > 1 || numbers_ > robots_ || !without_radio_.empty() ||
        table.links.size() != numbers_ * numbers_) {  // else every link is written below
      reserve_large_pages(table.links, numbers_ * numbers_);
      table.links.assign(numbers_ * numbers_, kSilentLink);
    }
  }
  try {
    for (RadioMedium& medium : media_) {
      medium.link_states(everybody, table);
    }
  } catch (...) {
    HeardLinks::give_up(table);
    throw;
  }
  if (sparse) {
    heard_.finish(table);
  }
}

void EmbeddedNetsim::update_routes(LinkTable& table) {
  bool changed = false;
  for (MeshRouting& mesh : meshes_) {
    changed = mesh.update(table, numbers_, plan_) || changed;
  }
  if (changed) {
    const auto routes = std::make_shared<MeshRoutes>();
    for (const MeshRouting& mesh : meshes_) {
      mesh.write(*routes);
    }
    if (routes_ == nullptr || routes->next != routes_->next) {
      routes->changes = routes_ == nullptr ? 0 : routes_->changes + 1;
      routes->changed_at = table.at;
      routes_ = routes;
    }
  }
  table.routes = routes_;
}

}  // namespace hilgate
