// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/replayed_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "gateway/record/link_table_codec.h"
#include "gateway/run/recorder/run_document.h"
#include "gateway/run/simulation/dilation.h"
#include "gateway/run/simulation/simulation.h"

namespace hilgate {
namespace {

// With the accuracy of a record: of a link out of reach nothing else counts.
bool says_the_same(const LinkState& exact, const LinkState& recorded) {
  return exact.reachable || recorded.reachable ? LinkCodes::of(exact) == LinkCodes::of(recorded) : true;
}

bool says_the_same(const LinkTable& exact, const LinkTable& recorded) {
  return std::ranges::equal(exact.links, recorded.links,
                            [](const LinkState& one, const LinkState& other) { return says_the_same(one, other); }) &&
         (recorded.attachments.empty() || exact.attachments == recorded.attachments);
}

// When each table is written as soon as it is made, the least delayed of them gives the start of simulated time.
Nanoseconds start_of(const std::filesystem::path& record) {
  RecordedAir air(record);
  Nanoseconds start = air.place().written - air.place().at.time_since_epoch();
  while (const auto next = air.next()) {
    start = std::min(start, next->written - next->at.time_since_epoch());
    air.advance();
  }
  return start;
}

}  // namespace

LinkTable table_of_models(const Configuration& configuration, const Simulation& simulation, SimTime at,
                          HostTime begins) {
  Scene scene;
  simulation.physics->scene_at(at, scene);
  LinkTable table = first_links(configuration);
  table.at = at;
  simulation.netsim->link_states(scene, table);
  make_sane(table, simulation.air.modes.size());
  table.begins = begins;
  return table;
}

ReplayedTables::ReplayedTables(const Configuration& configuration, const Simulation& simulation,
                               const std::filesystem::path& record)
    : configuration_(configuration), simulation_(simulation), air_(record) {
  const RunLayout layout = layout_of(configuration, simulation.air);
  if (air_.layout().ends != layout.ends) {
    throw std::runtime_error(fmt::format("{}: is of the robots {}, and the configuration has {}", record.string(),
                                         fmt::join(air_.layout().ends, ", "), fmt::join(layout.ends, ", ")));
  }
  if (configuration.pace == Pace::kWall) {
    start_ = start_of(record);
  }
  take();
}

void ReplayedTables::advance() {
  air_.advance();
  take();
}

void ReplayedTables::take() {
  const LinkTable& recorded = air_.table();
  if (recorded.links.size() != link_ends(configuration_) * link_ends(configuration_)) {
    throw std::runtime_error("the record continues with other robots, which a replay of its frames cannot");
  }
  const HostTime begins{start_ ? *start_ + recorded.at.time_since_epoch() : air_.place().written};
  table_ = table_of_models(configuration_, simulation_, recorded.at, begins);
  ++tables_;
  if (!says_the_same(table_, recorded)) {
    table_ = recorded;
    table_.begins = begins;
    ++rounded_;
  }
  table_.window = recorded.window;
  stretch(table_, configuration_.dilation);
}

}  // namespace hilgate
