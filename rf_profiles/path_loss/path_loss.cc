// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/path_loss.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "rf_profiles/path_loss/limited_loss.h"

namespace hilgate {
namespace {

struct BatchLoss {
  const PairBatch& pairs;
  const Carrier& carrier;
  double* loss_db;

  template <class Model>
  void operator()(const Model& model) const {
    if constexpr (requires { model.losses_db(pairs, carrier, loss_db); }) {
      model.losses_db(pairs, carrier, loss_db);
    } else {
      for (std::size_t i = 0; i < pairs.size; ++i) {
        loss_db[i] = limited_loss_db(FormulaOf<Model>{model, carrier}, geometry_of(pairs, i));
      }
    }
  }
};

struct SightProbability {
  const PairGeometry& pair;

  template <class Model>
  double operator()(const Model& model) const {
    if constexpr (requires { model.line_of_sight_probability(pair); }) {
      return model.line_of_sight_probability(pair);
    } else {
      return 1;
    }
  }
};

struct GreatestRange {
  double loss_db;
  double highest_m;
  const Carrier& carrier;
  bool blocked;

  template <class Model>
  double least_loss_db(const Model& model, double d_m) const {
    if constexpr (requires { model.least_blocked_loss_db(d_m, highest_m, carrier); }) {
      if (blocked) {
        return model.least_blocked_loss_db(d_m, highest_m, carrier);
      }
    }
    return model.least_loss_db(d_m, highest_m, carrier);
  }
  template <class Model>
  std::optional<double> operator()(const Model& model) const {
    if constexpr (requires { model.least_loss_db(1.0, highest_m, carrier); }) {
      const auto heard_at = [&](double d_m) { return !(least_loss_db(model, d_m) > loss_db); };
      constexpr double kFarthest = 1e8;  // m
      if (heard_at(kFarthest)) {
        return std::numeric_limits<double>::infinity();
      }
      double near = 1;
      double far = kFarthest;
      while (far > near * kCloseEnough) {
        const double middle = std::sqrt(near * far);
        (heard_at(middle) ? near : far) = middle;
      }
      return far;
    } else {
      return std::nullopt;
    }
  }
  static constexpr double kCloseEnough = 1.0001;
};

}  // namespace

std::optional<double> greatest_range_m(const PathLossModel& model, Decibels loss, double highest_m,
                                       const Carrier& carrier, bool blocked) {
  constexpr double kHighest = 10'000;  // m
  return highest_m <= kHighest ? std::visit(GreatestRange{loss.value, highest_m, carrier, blocked}, model)
                               : std::nullopt;
}

double equal_height_m(const PathLossModel& model, double high_m, double low_m, const Carrier& carrier) {
  return std::visit(
      [&]<class Model>(const Model& chosen) {
        if constexpr (requires { chosen.equal_height_m(high_m, low_m, carrier); }) {
          return chosen.equal_height_m(high_m, low_m, carrier);
        } else {
          return high_m;
        }
      },
      model);
}

std::optional<double> terrain_from_m(const PathLossModel& model) {
  return std::visit(
      []<class Model>(const Model& /*chosen*/) -> std::optional<double> {
        if constexpr (requires { Model::kShortest; }) {
          return Model::kShortest;
        } else {
          return std::nullopt;
        }
      },
      model);
}

std::string_view name(const PathLossModel& model) {
  return std::visit([]<class Model>(const Model&) { return Model::kName; }, model);
}

Decibels path_loss(const PathLossModel& model, const PairGeometry& pair, const Carrier& carrier) {
  return {std::visit(
      [&]<class Model>(const Model& chosen) {
        return limited_loss_db(FormulaOf<Model>{chosen, carrier}, pair);
      },
      model)};
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
