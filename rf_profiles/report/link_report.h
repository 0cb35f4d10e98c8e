// SPDX-License-Identifier: Apache-2.0
// One link of a profile, worked out by hand as it were: for people who ask what a radio does at a distance. Mean
// values: no shadowing, no fading.
#pragma once

#include <string>
#include <vector>

#include "rf_profiles/profile/radio_profile.h"
#include "rf_profiles/profile/rate_table.h"
#include "rf_profiles/propagation/material.h"

namespace hilgate {

struct Wall {
  Material material;
  double thickness_m = 0.1;  // crossed at right angles
};

struct LinkQuestion {
  double distance_m = 100;  // along the ground
  double height_m = 10;     // of the profile's antenna
  double other_height_m = 10;
  std::vector<Wall> walls;         // none: line of sight
  std::vector<Dbm> interferers{};  // levels at the receiver of others that send at the same time
  double interference_weight = 1;  // of each; 0.5 as Shell and Mataric take it
  std::uint32_t frame_bytes = 1514;
  std::uint64_t datagram_bytes = 65000;  // of UDP payload, sent in IP fragments of the profile's MTU
};

struct LinkReport {
  Decibels path_loss;
  Decibels wall_loss;
  Dbm rssi;
  Dbm noise;
  Decibels snr;
  Decibels sinr;     // over noise and interferers; what rates and errors follow from
  std::string mode;  // that the sender picks for unicast
  double rate_bps = 0;
  double frame_error_rate = 0;      // of one try of a frame in that mode
  double multicast_error_rate = 0;  // in the multicast mode
  double delivery = 0;              // of a frame after all tries
  double mean_tries = 0;            // that a frame takes
  double undetected_rate = 0;       // of frames damaged unseen by UDP's checksum; 0 unless damage is delivered
  std::uint32_t fragments = 0;      // of the datagram
  double datagram_delivery = 0;     // all of them
  double goodput_bps = 0;           // expected, with the medium for itself and frames always waiting
  double air_time_s = 0;
  bool reachable = true;
};

LinkReport report_link(const RadioProfile& profile, const LinkQuestion& question);
/// For many questions: the profile's table is made once.
LinkReport report_link(const RadioProfile& profile, const RateTable& rates, const LinkQuestion& question);

/// "red at 120 m behind brick: ..." in one line.
std::string link_sentence(const RadioProfile& profile, const LinkQuestion& question, const LinkReport& report);

// Loss of frames against distance, per mode of a profile: as data and as a picture.

struct RangeCurve {
  std::string name;                // of the mode; "chosen" for what rate control makes of them
  std::vector<double> error_rate;  // of one try, by RangePlot::distance_m
};

struct RangePlot {
  std::string title;
  std::vector<double> distance_m;  // evenly spaced on a logarithmic axis, 1 m to where nothing is received any more
  std::vector<RangeCurve> curves;
};

/// `question` gives everything but the distance.
RangePlot plot_range(const RadioProfile& profile, LinkQuestion question);

/// A self-contained SVG picture.
std::string range_svg(const RangePlot& plot);

}  // namespace hilgate
