// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/propagation/path_loss.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "rf_profiles/numeric/vector_code.h"
#include "rf_profiles/propagation/tgpp_36777.h"

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
  double operator()(const TgppUmi& model) const {
    return pair.high_m > kUrbanAerialHeight ? umi_aerial_loss_db(in_the_air(pair), carrier) : from_ground(model);
  }
  double operator()(const TgppUma& model) const {
    return pair.high_m > kUrbanAerialHeight ? uma_aerial_loss_db(in_the_air(pair), carrier) : from_ground(model);
  }
  double operator()(const TgppRma& model) const {
    return pair.high_m > kRuralAerialHeight ? rma_aerial_loss_db(in_the_air(pair), carrier) : from_ground(model);
  }
  // Both ends below the height from which TR 36.777 holds.
  double from_ground(const TgppUmi&) const { return umi_loss_db(on_ground(pair), carrier); }
  double from_ground(const TgppUma&) const { return uma_loss_db(on_ground(pair), carrier); }
  double from_ground(const TgppRma& model) const { return rma_loss_db(on_ground(pair), model.around, carrier); }
  double operator()(const MininetLogDistance& law) const { return law.loss_db(pair.d3d_m, carrier.hz); }
  double operator()(const TgppInh&) const { return inh_loss_db(on_ground(pair), carrier); }
};

struct LossFromGround : Loss {
  template <class Model>
  double operator()(const Model& model) const {
    return from_ground(model);
  }
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

/// Distances below the least count as it, and no loss is below 0.
template <class Formula = Loss, class Model>
double loss_of(const Model& model, PairGeometry pair, const Carrier& carrier) {
  pair.d3d_m = pair.d3d_m > kLeastDistance ? pair.d3d_m : kLeastDistance;
  const double loss = Formula{pair, carrier}(model);
  return loss > 0 ? loss : 0;
}

PairGeometry geometry_of(const PairBatch& pairs, std::size_t i) {
  return {pairs.d2d_m[i], pairs.d3d_m[i], pairs.high_m[i], pairs.low_m[i], pairs.line_of_sight[i] != 0};
}

template <class Formula = Loss, class Model>
void losses_of(const Model& model, const PairBatch& pairs, const Carrier& carrier, double* loss_db) {
#pragma omp simd
  for (std::size_t i = 0; i < pairs.size; ++i) {
    loss_db[i] = loss_of<Formula>(model, geometry_of(pairs, i), carrier);
  }
}

bool all_below(double height_m, const PairBatch& pairs) {
  const double* const high_m = pairs.high_m.data();
  return std::all_of(high_m, high_m + pairs.size, [height_m](double pair_m) { return pair_m <= height_m; });
}

/// The models of most links, as vector code.
struct BatchLoss {
  const PairBatch& pairs;
  const Carrier& carrier;
  double* loss_db;

  HILGATE_VECTOR_CODE void operator()(const Friis& model) const { losses_of(model, pairs, carrier, loss_db); }
  HILGATE_VECTOR_CODE void operator()(const LogDistance& model) const { losses_of(model, pairs, carrier, loss_db); }
  HILGATE_VECTOR_CODE void operator()(const TgppInh& model) const { losses_of(model, pairs, carrier, loss_db); }
  HILGATE_VECTOR_CODE void operator()(const TgppUmi& model) const { by_height(model, kUrbanAerialHeight); }
  HILGATE_VECTOR_CODE void operator()(const TgppUma& model) const { by_height(model, kUrbanAerialHeight); }
  HILGATE_VECTOR_CODE void operator()(const TgppRma& model) const { by_height(model, kRuralAerialHeight); }
  template <class Other>
  void operator()(const Other& model) const {
    for (std::size_t i = 0; i < pairs.size; ++i) {
      loss_db[i] = loss_of(model, geometry_of(pairs, i), carrier);
    }
  }

 private:
  /// Nobody in the air: half of the work.
  template <class Model>
  void by_height(const Model& model, double aerial_m) const {
    if (all_below(aerial_m, pairs)) {
      losses_of<LossFromGround>(model, pairs, carrier, loss_db);
    } else {
      losses_of(model, pairs, carrier, loss_db);
    }
  }
};

}  // namespace

double path_loss_db(const PathLossModel& model, const PairGeometry& pair, const Carrier& carrier) {
  return std::visit([&](const auto& chosen) { return loss_of(chosen, pair, carrier); }, model);
}

void path_loss_db(const PathLossModel& model, const PairBatch& pairs, const Carrier& carrier,
                  std::span<double> loss_db) {
  assert(loss_db.size() == pairs.size);
  std::visit(BatchLoss{pairs, carrier, loss_db.data()}, model);
}

double line_of_sight_probability(const PathLossModel& model, const PairGeometry& pair) {
  return std::visit(SightProbability{pair}, model);
}

}  // namespace hilgate
