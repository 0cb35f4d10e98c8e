// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading/nakagami_fading.h"

#include "config/checked_values.h"
#include "rf_profiles/fading/fading_law.h"

namespace hilgate {
namespace {

double nakagami_quantile(double m, double probability) {
  double low = 0;
  double high = 200;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (nakagami_cdf(m, middle) < probability ? low : high) = middle;
  }
  return low;
}

}  // namespace

void NakagamiFading::read(YamlReader& law) {
  m = number_within(law, "m", 0.5, 100);
}

FadingWaves NakagamiFading::waves() const {
  return {.map = std::make_shared<const PowerMap>(
              [shape = m](double probability) { return nakagami_quantile(shape, probability); })};
}

}  // namespace hilgate
