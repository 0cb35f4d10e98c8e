// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/recorded_netsim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace hilgate {
namespace {

constexpr std::size_t kNoEnd = std::numeric_limits<std::size_t>::max();
constexpr std::uint32_t kFrameOfLayouts = 1514;  // bytes, as RunLayout has modes

std::size_t place_among(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? kNoEnd : static_cast<std::size_t>(found - names.begin());
}

bool same_modes(const std::vector<PhyMode>& modes, const std::vector<RunLayout::Mode>& recorded) {
  return std::equal(modes.begin(), modes.end(), recorded.begin(), recorded.end(),
                    [](const PhyMode& mode, const RunLayout::Mode& other) {
                      return mode.error_bits(kFrameOfLayouts) == other.frame_bits &&
                             std::abs(mode.rate_bps / 1e6 - other.rate_mbps) < 1e-6;
                    });
}

}  // namespace

RecordedNetsim::RecordedNetsim(std::unique_ptr<Netsim> own, const std::filesystem::path& record,
                               std::vector<std::string> ends)
    : own_(std::move(own)), air_(record), ends_(std::move(ends)) {
  find_ends();
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (recorded_[i] == kNoEnd) {
      throw std::runtime_error(fmt::format("netsim.record: {} has no '{}'; it has the links of {}", record.string(),
                                           ends_[i], fmt::join(air_.layout().ends, ", ")));
    }
  }
  if (!same_modes(own_->air_plan().modes, air_.layout().modes)) {
    throw std::runtime_error(fmt::format(
        "netsim.record: the radios of {} send in other ways than those of this configuration; use its profiles",
        record.string()));
  }
  last_.links.resize(ends_.size() * ends_.size());
}

void RecordedNetsim::find_ends() {
  layouts_ = air_.layouts();
  const std::vector<std::string>& names = air_.layout().ends;
  recorded_.clear();
  here_.assign(names.size(), kNoEnd);
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    recorded_.push_back(place_among(names, ends_[i]));
    if (recorded_.back() != kNoEnd) {
      here_[recorded_.back()] = i;
    }
  }
}

Attachment RecordedNetsim::here(const Attachment& recorded) const {
  if (!recorded.at) {
    return recorded;
  }
  const std::size_t number = recorded.at.value().value();
  const std::size_t at = number < here_.size() ? here_[number] : kNoEnd;
  return at == kNoEnd ? Attachment{} : Attachment{recorded.state, RobotIndex{static_cast<std::uint32_t>(at)}};
}

void RecordedNetsim::link_states(const Scene& scene, LinkTable& table) {
  air_.go_to(scene.at);
  if (air_.layouts() != layouts_) {
    find_ends();
    routes_.reset();
  }
  const LinkTable& recorded = air_.table();
  const std::size_t ends = air_.layout().ends.size();
  for (std::size_t from = 0; from < ends_.size(); ++from) {
    for (std::size_t to = 0; to < ends_.size(); ++to) {
      if (recorded_[from] != kNoEnd && recorded_[to] != kNoEnd) {
        last_.links[from * ends_.size() + to] = recorded.links[recorded_[from] * ends + recorded_[to]];
      }
    }
  }
  last_.attachments.resize(recorded.attachments.empty() ? 0 : ends_.size());
  for (std::size_t end = 0; end < last_.attachments.size(); ++end) {
    if (const std::size_t number = recorded_[end]; number < recorded.attachments.size()) {
      last_.attachments[end] = here(recorded.attachments[number]);
    }
  }
  table.at = scene.at;
  table.sparse = false;
  table.links = last_.links;
  table.attachments = last_.attachments;
  if (recorded.routes != routes_) {
    routes_ = recorded.routes;
    take_routes();
  }
  table.routes = last_.routes;
}

// A relay that is not here takes the routes over it with it.
void RecordedNetsim::take_routes() {
  last_.routes.reset();
  if (!routes_) {
    return;
  }
  const auto routes = std::make_shared<MeshRoutes>();
  routes->ends = ends_.size();
  routes->next.resize(ends_.size() * ends_.size());
  const auto is_known = [this](std::size_t end) { return recorded_[end] != kNoEnd && recorded_[end] < routes_->ends; };
  for (std::size_t at = 0; at < ends_.size(); ++at) {
    for (std::size_t to = 0; to < ends_.size(); ++to) {
      if (!is_known(at) || !is_known(to)) {
        continue;
      }
      const auto next = routes_->next[recorded_[at] * routes_->ends + recorded_[to]];
      if (const std::size_t here = next ? here_.at(next.value().value()) : kNoEnd; here != kNoEnd) {
        routes->next[at * ends_.size() + to] = RobotIndex{static_cast<std::uint32_t>(here)};
      }
    }
  }
  last_.routes = routes;
}

}  // namespace hilgate
