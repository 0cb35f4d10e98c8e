// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/record_status.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "config/assignment_key.h"
#include "gateway/record/record_tables.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(AttachmentState state) {
  switch (state) {
    case AttachmentState::kAttached:
      return "associated";
    case AttachmentState::kRoaming:
      return "roaming";
    case AttachmentState::kNone:
      break;
  }
  return "none";
}

}  // namespace

void RecordStatus::layout(const RunLayout& layout) {
  layout_ = layout;
  counts_.clear();
}

void RecordStatus::links(const LinkTable& table) {
  table_ = table;
  for (std::size_t i = 0; i < std::min(table.attachments.size(), layout_.robots); ++i) {
    if (table.attachments[i].state != AttachmentState::kNone) {
      stations_.insert(layout_.ends[i]);
    }
  }
}

void RecordStatus::said(const std::string& topic, const nlohmann::json& json) {
  if (topic == kRunTopic) {
    run_ = json;
  } else if (topic == kTotalsTopic) {
    totals_ = json.at("totals");
    window_ = {{"number", json.at("window")}, {"sim_time_s", json.at("sim_s")}};
  } else if (topic == kClockTopic) {
    clock_ = json;
  } else if (topic == kPositionsTopic) {
    positions_ = json.at("robots");
  } else if (topic == kChangesTopic) {
    change(json);
  }
}

// A key stands once, where it was set last; of what is set back some has its value from before, or the file's.
void RecordStatus::change(const nlohmann::json& json) {
  const auto what = json.at("what").get<std::string>();
  if (what == "reload") {
    assignments_.clear();
  }
  for (const auto& value : json.value("values", std::vector<std::string>())) {
    std::erase_if(assignments_, [&](const std::string& each) { return key_of(each) == key_of(value); });
    if (end_of_key(value) != std::string::npos) {
      assignments_.push_back(value);
    }
  }
}

RecordStatus::Way RecordStatus::hop(std::size_t from, std::size_t to) const {
  const std::size_t link = from * layout_.ends.size() + to;
  if (link >= table_.links.size()) {
    return {};
  }
  const LinkState& state = table_.links[link];
  const RunLayout::Mode mode =
      state.unicast_mode < layout_.modes.size() ? layout_.modes[state.unicast_mode] : RunLayout::Mode{};
  return {.reachable = state.reachable,
          .line_of_sight = state.line_of_sight,
          .has_radio = state.rssi_dbm != 0 || state.snr_db != 0,
          .rssi_dbm = static_cast<double>(state.rssi_dbm),
          .snr_db = static_cast<double>(state.snr_db),
          .rate_mbps = mode.rate_mbps,
          .frame_loss = -std::expm1(-state.unicast.per_bit * static_cast<double>(mode.frame_bits)),
          .delay_us = microseconds_of(state.delay)};
}

void RecordStatus::pass(Way& way, const Way& next) {
  if (!next.has_radio) {
    return;  // by cable
  }
  way = {.reachable = way.reachable && next.reachable,
         .line_of_sight = way.line_of_sight && next.line_of_sight,
         .has_radio = true,
         .rssi_dbm = next.rssi_dbm,
         .snr_db = next.snr_db,
         .rate_mbps = way.has_radio ? std::min(way.rate_mbps, next.rate_mbps) : next.rate_mbps,
         .frame_loss = 1 - (1 - way.frame_loss) * (1 - next.frame_loss),
         .delay_us = way.delay_us.value_or(0) + next.delay_us.value_or(0)};
}

std::vector<RobotIndex> RecordStatus::relays(std::size_t from, std::size_t to) const {
  return !table_.routes || from == to ? std::vector<RobotIndex>{}
                                      : table_.routes->relays(RobotIndex{static_cast<std::uint32_t>(from)},
                                                              RobotIndex{static_cast<std::uint32_t>(to)});
}

RecordStatus::Way RecordStatus::mesh_way(std::size_t from, std::size_t to,
                                         const std::vector<RobotIndex>& relays) const {
  Way way{.reachable = true, .delay_us = 0};
  for (const RobotIndex relay : relays) {
    pass(way, hop(from, relay.value()));
    from = relay.value();
  }
  pass(way, hop(from, to));
  return way;
}

// By the access points where the two are; how long the way between these takes is not in records.
RecordStatus::Way RecordStatus::network_way(std::size_t from, std::size_t to) const {
  const Attachment& sender = table_.attachments[from];
  const Attachment& receiver = table_.attachments[to];
  if (sender.state != AttachmentState::kAttached || receiver.state != AttachmentState::kAttached) {
    return {};
  }
  Way way{.reachable = true, .delay_us = 0};
  if (sender.at) {
    pass(way, hop(from, sender.at.value().value()));
  }
  if (receiver.at) {
    pass(way, hop(receiver.at.value().value(), to));
  }
  if (sender.at != receiver.at || !sender.at) {
    way.delay_us.reset();
  }
  return way;
}

RecordStatus::Way RecordStatus::way(std::size_t from, std::size_t to, const std::vector<RobotIndex>& relays) const {
  const bool network = table_.attachments.size() > std::max(from, to) && stations_.contains(layout_.ends[from]) &&
                       stations_.contains(layout_.ends[to]);
  return network ? network_way(from, to) : relays.empty() ? hop(from, to) : mesh_way(from, to, relays);
}

Json RecordStatus::link_json(std::size_t from, std::size_t to) const {
  Json json{{"from", layout_.ends[from]}, {"to", layout_.ends[to]}};
  const std::size_t link = from * layout_.ends.size() + to;
  if (link < table_.links.size()) {
    const std::vector<RobotIndex> over = relays(from, to);
    const Way here = way(from, to, over);
    json.update({{"reachable", here.reachable},
                 {"line_of_sight", here.line_of_sight},
                 {"rssi_dbm", here.rssi_dbm},
                 {"snr_db", here.snr_db},
                 {"rate_mbps", six_digits(here.rate_mbps)},
                 {"frame_loss", six_digits(here.frame_loss)}});
    if (here.delay_us) {
      json["delay_us"] = *here.delay_us;
    }
    for (const RobotIndex relay : over) {
      json["via"].push_back(layout_.ends[relay.value()]);
    }
  }
  if (link < counts_.size()) {
    const LinkCountsRow& row = counts_[link];
    Json dropped = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i < kCounterNames.size()) {
        json[std::string(kCounterNames[i])] = row[i];
      } else if (row[i] > 0) {
        dropped[layout_.reasons.at(i - kCounterNames.size())] = row[i];
      }
    }
    json["dropped"] = std::move(dropped);
  }
  return json;
}

Json RecordStatus::robot_json(const std::string& name) const {
  Json json{{"name", name}};
  if (const auto place = positions_.find(name); place != positions_.end()) {
    json["position"] = {place->at("x"), place->at("y"), place->at("z")};
  }
  return json;
}

Json RecordStatus::station_json(std::size_t robot) const {
  const Attachment& attachment = table_.attachments[robot];
  Json json{{"robot", layout_.ends[robot]}, {"state", name_of(attachment.state)}};
  if (attachment.state == AttachmentState::kAttached && attachment.at) {
    const std::size_t point = attachment.at.value().value();
    const Way heard = hop(point, robot);
    json.update({{"access_point", point < layout_.ends.size() ? layout_.ends[point] : "?"},
                 {"rssi_dbm", heard.rssi_dbm},
                 {"snr_db", heard.snr_db},
                 {"rate_mbps", six_digits(heard.rate_mbps)}});
  }
  return json;
}

Json RecordStatus::json(double uptime_s) const {
  Json robots = Json::array();
  Json links = Json::array();
  for (std::size_t from = 0; from < layout_.robots; ++from) {
    robots.push_back(robot_json(layout_.ends[from]));
    for (std::size_t to = 0; to < layout_.robots; ++to) {
      if (from != to) {
        links.push_back(link_json(from, to));
      }
    }
  }
  Json json{{"run", run_.is_object() ? run_.value("run", "") : ""},
            {"uptime_s", uptime_s},
            {"assignments", assignments_},
            {"robots", std::move(robots)},
            {"links", std::move(links)}};
  const auto add = [&json](const char* key, const Json& part) {
    if (!part.is_null()) {
      json[key] = part;
    }
  };
  add("totals", totals_);
  add("window", window_);
  add("clock", clock_);
  for (std::size_t i = 0; i < std::min(table_.attachments.size(), layout_.robots); ++i) {
    if (stations_.contains(layout_.ends[i])) {
      json["stations"].push_back(station_json(i));
    }
  }
  return json;
}

}  // namespace hilgate
