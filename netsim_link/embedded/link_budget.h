// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "clock/time.h"
#include "config/units.h"
#include "netsim_link/embedded/antennas.h"
#include "netsim_link/embedded/measured_sinrs.h"
#include "netsim_link/embedded/medium_tile.h"
#include "netsim_link/link_state.h"
#include "rf_profiles/profile/minstrel.h"
#include "rf_profiles/profile/radio_profile.h"
#include "rf_profiles/profile/rate_table.h"

namespace hilgate {

/// One robot's radio on a medium.
struct MediumMember {
  RobotIndex robot;
  std::shared_ptr<const RadioProfile> profile;
  std::vector<std::uint8_t> plan_modes;  // index in AirPlan::modes of each of the profile's modes
  AntennaMount mount{};
  bool base = false;  // a base station of a cell, or an access point
};

/// The radios of a medium: from the losses between their antennas to the states of their links, by power, noise, choice
/// of rate and errors.
class LinkBudget {
 public:
  LinkBudget(std::vector<MediumMember> members, std::size_t robots, std::uint64_t seed);

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] const MediumMember& radio(std::size_t member) const { return members_[member].radio; }
  /// Some rate is chosen by Minstrel, which depends on what was sent before.
  [[nodiscard]] bool learns() const;
  /// The state of each link is that of the opposite one as well.
  [[nodiscard]] bool is_symmetric() const { return is_symmetric_; }

  /// Losses between two members at most, as if the strongest sender and the best receiver were both ends.
  struct Limits {
    double audible_db = 0;     // for frames or carrier sense
    double disturbing_db = 0;  // for a signal that adds to the noise of others
    bool operator==(const Limits&) const = default;
  };
  [[nodiscard]] Limits limits() const;

  /// Losses between connectors that a configuration gives (AirChanges::path_loss_db), and whether there are jammers.
  void change(std::vector<double> path_loss_db, bool has_jammers);
  /// The noise of a member is its own and this power at its antenna, dBi taken off, mW.
  void set_jamming(std::size_t member, double power_mw);
  /// From here on the SINR of frames from one member to another is that of the trace, which includes all noise. Power
  /// follows from it and the receiver's own noise.
  void measure(std::size_t sender, std::size_t receiver, std::shared_ptr<const TraceSchedule> trace);
  /// The window begins at `at`.
  void play_measured(SimTime at) { measured_.play(at); }
  [[nodiscard]] Decibels receive_gain(std::size_t member) const { return members_[member].receive_gain; }

  /// The states of the tile's links, by its losses. Several threads may call it for different tiles.
  void fill(MediumTile& tile, SimTime at);

 private:
  struct Member {
    MediumMember radio;
    std::shared_ptr<const RateTable> rates;
    std::shared_ptr<Minstrel> learner;  // of all members with the profile; null: the table decides
    Dbm sends{};                        // power and gains, cable taken off
    Decibels receive_gain{};            // likewise
    Dbm own_noise{};                    // of the receiver itself
    Dbm noise{};                        // with that of jammers, of the window at hand
    Dbm sensitivity{};
    Decibels least_snr{};  // that its own frames are of any use at
    Nanoseconds latency{0};
    std::uint8_t multicast_mode = 0;  // of the plan
    bool combines = false;
    bool acknowledged = false;
    std::optional<LinkSpread> spread{};
  };
  struct Signal {
    Dbm rssi;
    Decibels snr;
  };
  /// What arrives of a sender, and the errors of its frames there.
  struct Level {
    Dbm rssi;
    Decibels snr;
    RateTable::Answer answer;
    double distance_m;
    bool line_of_sight;
  };
  static void spread_hardware(Member& member, std::uint64_t seed);
  /// `snr_of_mode`: that the chosen mode has, which is the level's where the band is alike.
  static void set_state(LinkState& state, const Member& sender, const Member& receiver, const Level& level,
                        const RateTable::Choice& choice, Decibels snr_of_mode);
  void set_link(LinkState& state, const Member& sender, const Member& receiver, const MediumTile& tile, std::size_t i,
                SimTime at);
  /// Where links of one level differ, the link's own hazards.
  void spread(LinkState& state, const Member& sender, const Member& receiver) const;
  RateTable::Choice learnt(const Member& sender, const Member& receiver, const ModeSnrs& snrs, SimTime at);
  void fill_alike(MediumTile& tile) const;
  void fill_over_band(MediumTile& tile, SimTime at);
  /// As set_link(), where the pair's gains differ over the band.
  void set_link_over_band(LinkState& state, const Member& sender, const Member& receiver, const MediumTile& tile,
                          std::size_t i, SimTime at);
  void find_symmetry(bool has_jammers);
  /// Of `sender` at `receiver`, where the tile's pair has this loss.
  [[nodiscard]] Signal signal(const Member& sender, const Member& receiver, double pair_db) const;
  /// Between their connectors, where the tile's pair has this loss.
  [[nodiscard]] Decibels loss_from(const Member& sender, const Member& receiver, double pair_db) const;

  std::vector<Member> members_;
  std::size_t robots_;
  std::vector<double> path_loss_db_;  // by LinkIndex; empty: none is given
  MeasuredSinrs measured_;
  bool are_alike_ = false;  // members, in all that they are
  bool is_symmetric_ = false;
};

}  // namespace hilgate
