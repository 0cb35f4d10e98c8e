// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gateway/record/count_codec.h"
#include "gateway/record/run_layout.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// A run at an instant of its record, under the keys of the run's status document (docs/reference/metrics.md). Keys
/// without data in the record are left out.
class RecordStatus {
 public:
  void layout(const RunLayout& layout);
  void links(const LinkTable& table);
  void counts(const std::vector<LinkCountsRow>& rows) { counts_ = rows; }
  /// Of these topics: run, totals, clock, positions, changes.
  void said(const std::string& topic, const nlohmann::json& json);

  [[nodiscard]] nlohmann::ordered_json json(double uptime_s) const;
  /// KEY=VALUE each: what lies over the configuration's file.
  [[nodiscard]] const std::vector<std::string>& assignments() const { return assignments_; }

 private:
  struct Way {
    bool reachable = false, line_of_sight = true, has_radio = false;
    double rssi_dbm = 0, snr_db = 0, rate_mbps = 0, frame_loss = 0;
    std::optional<double> delay_us{};  // nothing: not all of it is in the record
  };

  void change(const nlohmann::json& json);
  [[nodiscard]] Way hop(std::size_t from, std::size_t to) const;
  static void pass(Way& way, const Way& next);
  [[nodiscard]] std::vector<RobotIndex> relays(std::size_t from, std::size_t to) const;
  [[nodiscard]] Way mesh_way(std::size_t from, std::size_t to, const std::vector<RobotIndex>& relays) const;
  [[nodiscard]] Way network_way(std::size_t from, std::size_t to) const;
  [[nodiscard]] Way way(std::size_t from, std::size_t to, const std::vector<RobotIndex>& relays) const;
  [[nodiscard]] nlohmann::ordered_json link_json(std::size_t from, std::size_t to) const;
  [[nodiscard]] nlohmann::ordered_json robot_json(const std::string& name) const;
  [[nodiscard]] nlohmann::ordered_json station_json(std::size_t robot) const;

  nlohmann::ordered_json run_, totals_, window_, clock_, positions_;
  RunLayout layout_;
  LinkTable table_;
  std::vector<LinkCountsRow> counts_;
  std::set<std::string> stations_;  // robots that were at an access point until now
  std::vector<std::string> assignments_;
};

}  // namespace hilgate
