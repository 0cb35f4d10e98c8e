// SPDX-License-Identifier: Apache-2.0
// What every path loss model has in common: distances below 1 m, nearer than any of the models means, count as 1 m, and
// no loss is below 0.
//
// Formulas give plain numbers, in dB: the columns of a batch are arrays of double, and loops over them become vector
// code. A formula is called with a PairGeometry.
#pragma once

#include <algorithm>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

template <class Formula>
double limited_loss_db(const Formula& formula, PairGeometry pair) {
  constexpr double kLeastDistance = 1.0;  // m
  pair.d3d_m = pair.d3d_m > kLeastDistance ? pair.d3d_m : kLeastDistance;
  const double loss = formula(pair);
  return loss > 0 ? loss : 0;
}

/// Of every pair of a batch. Vector code where a function with HILGATE_VECTOR_CODE calls it.
template <class Formula>
void limited_losses_db(const Formula& formula, const PairBatch& pairs, double* loss_db) {
#pragma omp simd
  for (std::size_t i = 0; i < pairs.size; ++i) {
    loss_db[i] = limited_loss_db(formula, geometry_of(pairs, i));
  }
}

/// A model's own formula at a carrier.
template <class Model>
struct FormulaOf {
  const Model& model;
  const Carrier& carrier;
  double operator()(const PairGeometry& pair) const { return model.loss_db(pair, carrier); }
};

/// The formula of a model that has another one above Model::kAerialHeight, where no antenna is above it: half of the
/// work.
template <class Model>
struct GroundFormulaOf {
  const Model& model;
  const Carrier& carrier;
  double operator()(const PairGeometry& pair) const { return model.ground_loss_db(pair, carrier); }
};

inline bool all_below(double height_m, const PairBatch& pairs) {
  const double* const high_m = pairs.high_m.data();
  return std::all_of(high_m, high_m + pairs.size, [height_m](double pair_m) { return pair_m <= height_m; });
}

/// As limited_losses_db(), of a model with kAerialHeight.
template <class Model>
void losses_by_height_db(const FormulaOf<Model>& formula, const PairBatch& pairs, double* loss_db) {
  if (all_below(Model::kAerialHeight, pairs)) {
    limited_losses_db(GroundFormulaOf<Model>{formula.model, formula.carrier}, pairs, loss_db);
  } else {
    limited_losses_db(formula, pairs, loss_db);
  }
}

}  // namespace hilgate
