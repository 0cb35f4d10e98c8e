// SPDX-License-Identifier: Apache-2.0
// Links as the status document has them.
#pragma once

#include "gateway/status/model/status_table.h"

namespace hilgate {

struct LinkStatus {
  std::string from{}, to{};
  bool reachable = false, line_of_sight = true;
  Dbm rssi{};
  Decibels snr{};
  BitsPerSecond rate{};
  Probability frame_loss{};
  Nanoseconds delay{0};
  std::optional<Nanoseconds> configured_delay{};
  std::optional<BitsPerSecond> configured_rate{};
  std::optional<Probability> configured_loss{};
  std::optional<std::uint32_t> queue_limit{};
  Nanoseconds effective_delay{0};
  BitsPerSecond effective_rate{};
  Probability effective_loss{};
  std::optional<Nanoseconds> measured_delay{};
  std::optional<BitsPerSecond> measured_rate{};
  std::optional<Probability> measured_loss{};
  std::uint64_t queue = 0, waiting = 0;
  std::uint64_t in = 0, released = 0, bytes_released = 0, failed_tries = 0, damaged = 0, duplicated = 0, marked = 0,
                ecn_marked = 0;
  NamedCounts dropped{};
  std::vector<std::string> reasons{};
  std::optional<std::vector<std::string>> via{};
};
template <>
struct StatusTable<LinkStatus> {
  using S = LinkStatus;
  static constexpr std::array rows = {
      status_row<&S::from>("from", "sender"),
      status_row<&S::to>("to", "receiver"),
      status_row<&S::reachable>("reachable", "whether the receiver is in range"),
      status_row<&S::line_of_sight>("line_of_sight", "whether there is a line of sight"),
      status_row<&S::rssi>("rssi_dbm", "received power, dBm"),
      status_row<&S::snr>("snr_db", "signal-to-noise ratio, dB"),
      status_row<&S::rate>("rate_mbps", "PHY rate, Mbit/s"),
      status_row<&S::frame_loss>("frame_loss", "probability that one try of a full frame is lost, 0 to 1"),
      status_row<&S::delay>("delay_us", "delay of the link state, us"),
      status_row<&S::configured_delay>(
          "configured_delay_us",
          "delay that `links` adds, in the mean of its distribution, us; absent without one, as all configured_*"),
      status_row<&S::configured_rate>("configured_rate_mbps", "rate of `links`, Mbit/s"),
      status_row<&S::configured_loss>(
          "configured_loss",
          "share of full frames that `links` loses in the mean, 0 to 1: by its loss model, every n-th frame and bit "
          "errors that lose frames"),
      status_row<&S::queue_limit>("queue_limit", "frames that may wait for the link's rate"),
      status_row<&S::effective_delay>("effective_delay_us",
                                      "delay of a frame on an idle link now, us: of the air, of `links` and of a "
                                      "trace"),
      status_row<&S::effective_rate>(
          "effective_rate_mbps",
          "rate of the link now, Mbit/s: the least of the radio's, of `links` and of a trace; 0: no limit"),
      status_row<&S::effective_loss>("effective_loss",
                                     "probability that one try of a full frame is lost now, 0 to 1: on the air, by "
                                     "`links`, by a trace or in an outage"),
      status_row<&S::measured_delay>(
          "measured_delay_us",
          "mean delay of the deliveries of the last second, from the arrival to the release, us of simulated time; "
          "absent where there were none, and in runs of more than 64 robots, as all measured_*"),
      status_row<&S::measured_rate>("measured_rate_mbps", "what the link carried in the last second, Mbit/s"),
      status_row<&S::measured_loss>("measured_loss",
                                    "share of the deliveries of the last second that were dropped, 0 to 1"),
      status_row<&S::queue>("queue", "deliveries that wait for the link's rate"),
      status_row<&S::waiting>("waiting",
                              "deliveries that are neither released nor dropped: in queues, on the air and held"),
      status_row<&S::in>("in", "deliveries on the link"),
      status_row<&S::released>("released", "deliveries released"),
      status_row<&S::bytes_released>("bytes_released", "bytes released"),
      status_row<&S::failed_tries>("failed_tries", "tries that were lost on the air"),
      status_row<&S::damaged>("damaged", "deliveries released with bit errors"),
      status_row<&S::duplicated>("duplicated", "deliveries added by duplication"),
      status_row<&S::marked>("marked", "deliveries with bit errors that were counted and not applied"),
      status_row<&S::ecn_marked>("ecn_marked",
                                 "deliveries marked Congestion Experienced by the queue of the link's rate"),
      status_row<&S::dropped>("dropped", "deliveries dropped, by drop reason"),
      status_row<&S::reasons>("reasons",
                              "why the link is as it is, as sentences, the strongest reason first; empty: "
                              "nothing is wrong with it"),
      status_row<&S::via>("via", "in a mesh: the stations that forward its frames, in order; absent without them")};
};

struct FarPairsStatus {
  std::string domain{};
  unsigned threads = 1;
  std::optional<OrNull<double>> reach_m{};
  std::optional<std::uint64_t> visited{}, heard{};
  std::optional<std::string> all_computed_because{};
};
template <>
struct StatusTable<FarPairsStatus> {
  using S = FarPairsStatus;
  static constexpr std::array rows = {
      status_row<&S::domain>("domain", "radio domain"),
      status_row<&S::threads>("threads", "that work on the medium; netsim: {threads}"),
      status_row<&S::reach_m>("reach_m",
                              "distance beyond which pairs are silent without being computed, m; null: all "
                              "are computed"),
      status_row<&S::visited>("visited",
                              "pairs looked at in the last window: neither too far nor known to be silent for some "
                              "way yet"),
      status_row<&S::heard>("heard", "of these, those whose links were computed in full; all others are silent"),
      status_row<&S::all_computed_because>("all_computed_because", "why all pairs are computed")};
};

}  // namespace hilgate
