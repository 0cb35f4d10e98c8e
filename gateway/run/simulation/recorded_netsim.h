// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gateway/record/record_reader.h"
#include "netsim_link/netsim.h"

namespace hilgate {

/// Replays the link tables of a record instead of another netsim, whose media, modes and rules stay. Links that are
/// absent from the record keep their last state.
class RecordedNetsim final : public Netsim {
 public:
  /// `ends`: names of robots and access points, by their numbers. Throws std::runtime_error for a record that has not
  /// one of them, or whose radios send in other ways than those of `own`.
  RecordedNetsim(std::unique_ptr<Netsim> own, const std::filesystem::path& record, std::vector<std::string> ends);

  void link_states(const Scene& scene, LinkTable& table) override;
  [[nodiscard]] const AirPlan& air_plan() const override { return own_->air_plan(); }

 private:
  void find_ends();
  void take_routes();
  [[nodiscard]] Attachment here(const Attachment& recorded) const;

  std::unique_ptr<Netsim> own_;
  RecordedAir air_;
  std::vector<std::string> ends_;
  std::size_t layouts_ = 0;                   // of the record, when find_ends() looked
  std::vector<std::size_t> recorded_;         // by number here: number in the record, or kNone
  std::vector<std::size_t> here_;             // by number in the record
  std::shared_ptr<const MeshRoutes> routes_;  // of the record, that last_ has by the ends here
  LinkTable last_;
};

}  // namespace hilgate
