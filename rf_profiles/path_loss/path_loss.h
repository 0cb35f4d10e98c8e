// SPDX-License-Identifier: Apache-2.0
// Mean loss over distance, in dB as a positive number. Oracles name the sources of the formulas.
//
// A model is a struct in a file of its own and one row of the table PathLossModel. It has
//   static constexpr std::string_view kName             its name in radio profiles and reference values
//   double loss_db(const PairGeometry&, const Carrier&) const
// and where it needs them
//   void read(YamlReader&)                              its keys next to `model` in a radio profile
//   void losses_db(const PairBatch&, const Carrier&, double*) const
//                                                       many pairs as vector code, for models of most links: the same
//                                                       bits as loss_db within the limits of limited_loss.h
//   double line_of_sight_probability(const PairGeometry&) const
//   double least_loss_db(double d3d_m, double highest_m, const Carrier&) const
//                                                       no more than any pair loses so far apart or farther, with
//                                                       antennas up to that height above ground, in sight or not
//   double least_blocked_loss_db(double d3d_m, double highest_m, const Carrier&) const
//                                                       the same of pairs out of sight, where that is more
//   double equal_height_m(double high_m, double low_m, const Carrier&) const
//                                                       two antennas at that height, by least_loss_db(), lose no more
//                                                       than one at each of these; without it the higher one counts
//   static constexpr double kShortest                   of models over the ground between the antennas
//                                                       (PairGeometry::terrain): paths from so many m on
// The free functions of the files are the formulas, without limits on their arguments.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "rf_profiles/path_loss/building_entry.h"
#include "rf_profiles/path_loss/distance_models.h"
#include "rf_profiles/path_loss/empirical_models.h"
#include "rf_profiles/path_loss/terrain_models.h"
#include "rf_profiles/path_loss/tgpp_models.h"

namespace hilgate {

/// The table of path loss models; the first is the default.
using PathLossModel = std::variant<  //
    Friis,                           //
    LogDistance,                     //
    ThreeLogDistance,                //
    Disc,                            //
    TwoRayGround,                    //
    TwoRayExact,                     //
    ItuP1238,                        //
    ItuP1411,                        //
    OkumuraHata,                     //
    Cost231,                         //
    TgppUmi,                         //
    TgppUma,                         //
    TgppRma,                         //
    TgppInh,                         //
    MininetLogDistance,              //
    TgppUmiO2i,                      //
    TgppUmaO2i,                      //
    ItuP2109,                        //
    ItuP526,                         //
    Itm,                             //
    ItuP1812>;

/// Loss of a pair at a frequency; at least 0. Distances below 1 m count as 1 m, and heights are taken into the range
/// that the chosen model is defined for (TR 38.901: 1.5 m and up; two-ray: 0.1 m and up).
Decibels path_loss(const PathLossModel& model, const PairGeometry& pair, const Carrier& carrier);

/// The same for many pairs at once: a column of plain numbers, in dB.
void path_loss_db(const PathLossModel& model, const PairBatch& pairs, const Carrier& carrier,
                  std::span<double> loss_db);

/// Beyond it every pair with antennas up to this height loses more than `loss`, or with `blocked` every pair out of
/// sight; infinite where it may lose no more at any distance. Nothing for models without a bound that rises with the
/// distance, and for antennas above 10 km.
std::optional<double> greatest_range_m(const PathLossModel& model, Decibels loss, double highest_m,
                                       const Carrier& carrier, bool blocked = false);

/// Beyond the greatest range of two antennas at this height, one at each of these has no less loss either.
double equal_height_m(const PathLossModel& model, double high_m, double low_m, const Carrier& carrier);

/// From how many m on the model computes by the ground between the antennas; nothing of models that do not.
std::optional<double> terrain_from_m(const PathLossModel& model);

/// As in radio profiles.
std::string_view name(const PathLossModel& model);

/// Probability that a pair at this distance has line of sight, by the chosen model's own statistics; 1 for models that
/// know no such thing. For scenes without a map only.
double line_of_sight_probability(const PathLossModel& model, const PairGeometry& pair);

}  // namespace hilgate
