// SPDX-License-Identifier: Apache-2.0
// Mean loss over distance, in dB as a positive number. Formulas: radio-models section 3, which names the sources.
//
// The free functions are the formulas, without limits on their arguments. PathLoss is what a radio profile chooses:
// one formula with its parameters, safe for any pair of robots.
#pragma once

#include <span>
#include <variant>

#include "rf_profiles/propagation/material.h"
#include "rf_profiles/propagation/mininet_log_distance.h"
#include "rf_profiles/propagation/pair_batch.h"
#include "rf_profiles/propagation/path_loss_generic.h"
#include "rf_profiles/propagation/path_loss_itu.h"
#include "rf_profiles/propagation/tgpp_38901.h"

namespace hilgate {

/// Where two robots are to one another.
struct PairGeometry {
  double d2d_m = 0;  // horizontal distance
  double d3d_m = 0;
  double high_m = 0;  // height above ground of the higher and of the lower antenna
  double low_m = 0;
  bool line_of_sight = true;
};

struct Friis {};
/// No loss within the range, none gets through beyond: the crudest of ROS-NetSim's four levels.
struct Disc {
  double range_m = 100;
};
struct TwoRayGround {};
struct TwoRayExact {
  bool ideal_ground = true;  // reflection coefficient -1
  SlabConstants ground;      // else: of this ground, antennas vertical
  double cap_db = 200;
};
struct ItuP1238 {
  P1238Building building = P1238Building::kOffice;
  double storey_m = 3;  // floors between the ends: difference of heights in whole storeys
};
struct ItuP1411 {};
struct OkumuraHata {
  HataArea area = HataArea::kUrban;
  bool large_city = false;
};
struct Cost231 {};
/// 3GPP, LOS or NLOS as the scene says. The higher antenna is the base station; above 22.5 m (RMa: 10 m) the higher
/// one is the aerial terminal of TR 36.777 instead.
struct TgppUmi {};
struct TgppUma {};
struct TgppRma {
  RuralSurroundings around;
};
struct TgppInh {};

using PathLossModel =
    std::variant<Friis, LogDistance, ThreeLogDistance, Disc, TwoRayGround, TwoRayExact, ItuP1238, ItuP1411, OkumuraHata,
                 Cost231, TgppUmi, TgppUma, TgppRma, TgppInh, MininetLogDistance>;

/// Loss of a pair at a frequency; at least 0. Distances below 1 m count as 1 m, and heights are taken into the range
/// that the chosen model is defined for (TR 38.901: 1.5 m and up; two-ray: 0.1 m and up).
double path_loss_db(const PathLossModel& model, const PairGeometry& pair, const Carrier& carrier);

/// The same for many pairs at once.
void path_loss_db(const PathLossModel& model, const PairBatch& pairs, const Carrier& carrier,
                  std::span<double> loss_db);

/// Probability that a pair at this distance has line of sight, by the chosen model's own statistics; 1 for models that
/// know no such thing. For scenes without a map only.
double line_of_sight_probability(const PathLossModel& model, const PairGeometry& pair);

}  // namespace hilgate
