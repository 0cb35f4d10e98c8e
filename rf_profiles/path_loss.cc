// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss.h"

#include <algorithm>
#include <cmath>

#include "rf_profiles/tgpp_36777.h"

namespace hilgate {
namespace {

constexpr double kLeastDistance = 1.0;       // m, nearer than any of the models means
constexpr double kLeastHeight = 0.1;         // m, of antennas in two-ray and Hata
constexpr double kLeastTgppHeight = 1.5;     // m, of TR 38.901's terminals
constexpr double kUrbanAerialHeight = 22.5;  // m, where TR 36.777 takes over
constexpr double kRuralAerialHeight = 10;
constexpr double kBeyondRange = 300;  // dB, more than any receiver bears

GroundLink ground(const PairGeometry& pair) {
  return {pair.d2d_m, std::max(pair.high_m, kLeastHeight), std::max(pair.low_m, kLeastHeight)};
}

/// The lower antenna is the terminal, the higher one the base station.
TgppLink on_ground(const PairGeometry& pair) {
  return {pair.d2d_m, pair.d3d_m, std::max(pair.high_m, kLeastTgppHeight), std::max(pair.low_m, kLeastTgppHeight),
          pair.line_of_sight};
}

/// The higher antenna is the terminal.
TgppLink in_the_air(const PairGeometry& pair) {
  return {pair.d2d_m, pair.d3d_m, std::max(pair.low_m, kLeastTgppHeight), pair.high_m, pair.line_of_sight};
}

struct Loss {
  const PairGeometry& pair;
  const Carrier& carrier;

  double operator()(const Friis&) const { return friis_loss_db(pair.d3d_m, carrier.hz); }
  double operator()(const LogDistance& law) const { return law.loss_db(pair.d3d_m); }
  double operator()(const ThreeLogDistance& law) const { return law.loss_db(pair.d3d_m); }
  double operator()(const Disc& disc) const { return pair.d3d_m <= disc.range_m ? 0 : kBeyondRange; }
  double operator()(const TwoRayGround&) const { return two_ray_ground_loss_db(ground(pair), carrier.hz); }
  double operator()(const TwoRayExact& model) const {
    const GroundLink link = ground(pair);
    const std::complex<double> reflection =
        model.ideal_ground ? -1.0 : ground_reflection(link, model.ground.eta(carrier.hz));
    return two_ray_exact_loss_db(link, carrier.hz, reflection, model.cap_db);
  }
  double operator()(const ItuP1238& model) const {
    const auto floors = static_cast<unsigned>((pair.high_m - pair.low_m) / model.storey_m + 0.5);
    return itu_p1238_loss_db(model.building, pair.d3d_m, floors, carrier.hz);
  }
  double operator()(const ItuP1411&) const {
    const GroundLink link = ground(pair);
    return itu_p1411_los_loss_db(pair.d3d_m, link.tx_height_m, link.rx_height_m, carrier.hz);
  }
  double operator()(const OkumuraHata& model) const {
    const GroundLink link = ground(pair);
    return okumura_hata_loss_db(model.area, model.large_city, pair.d3d_m, link.tx_height_m, link.rx_height_m,
                                carrier.hz);
  }
  double operator()(const Cost231&) const {
    const GroundLink link = ground(pair);
    return cost231_loss_db(pair.d3d_m, link.tx_height_m, link.rx_height_m, carrier.hz);
  }
  double operator()(const TgppUmi&) const {
    return pair.high_m > kUrbanAerialHeight ? umi_aerial_loss_db(in_the_air(pair), carrier.hz)
                                            : umi_loss_db(on_ground(pair), carrier);
  }
  double operator()(const TgppUma&) const {
    return pair.high_m > kUrbanAerialHeight ? uma_aerial_loss_db(in_the_air(pair), carrier.hz)
                                            : uma_loss_db(on_ground(pair), carrier);
  }
  double operator()(const TgppRma& model) const {
    return pair.high_m > kRuralAerialHeight ? rma_aerial_loss_db(in_the_air(pair), carrier.hz)
                                            : rma_loss_db(on_ground(pair), model.around, carrier.hz);
  }
  double operator()(const MininetLogDistance& law) const { return law.loss_db(pair.d3d_m, carrier.hz); }
  double operator()(const TgppInh&) const { return inh_loss_db(on_ground(pair), carrier); }
};

struct SightProbability {
  const PairGeometry& pair;

  double operator()(const TgppUmi&) const {
    return pair.high_m > kUrbanAerialHeight ? umi_aerial_los_probability(pair.d2d_m, pair.high_m)
                                            : umi_los_probability(pair.d2d_m);
  }
  double operator()(const TgppUma&) const {
    return pair.high_m > kUrbanAerialHeight ? uma_aerial_los_probability(pair.d2d_m, pair.high_m)
                                            : uma_los_probability(pair.d2d_m, pair.low_m);
  }
  double operator()(const TgppRma&) const {
    return pair.high_m > kRuralAerialHeight ? rma_aerial_los_probability(pair.d2d_m, pair.high_m)
                                            : rma_los_probability(pair.d2d_m);
  }
  double operator()(const TgppInh&) const { return inh_mixed_los_probability(pair.d2d_m); }
  template <class Other>
  double operator()(const Other&) const {
    return 1;
  }
};

}  // namespace

double path_loss_db(const PathLossModel& model, const PairGeometry& pair, const Carrier& carrier) {
  PairGeometry apart = pair;
  apart.d3d_m = std::max(pair.d3d_m, kLeastDistance);
  return std::max(0.0, std::visit(Loss{apart, carrier}, model));
}

double line_of_sight_probability(const PathLossModel& model, const PairGeometry& pair) {
  return std::visit(SightProbability{pair}, model);
}

}  // namespace hilgate
