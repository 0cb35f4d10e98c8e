// SPDX-License-Identifier: Apache-2.0
// 3GPP TR 36.777 annex B: terminals in the air, where TR 38.901 ends. dB as positive numbers.
// Taken from several public ports that agree with one another, not from the text of the report (radio-models 3.4).
#pragma once

#include "rf_profiles/tgpp_38901.h"

namespace hilgate {

/// Terminals from 22.5 m (UMi, UMa) or 10 m (RMa) to 300 m above ground.
double umi_aerial_loss_db(const TgppLink& link, double f_hz);
double uma_aerial_loss_db(const TgppLink& link, double f_hz);
double rma_aerial_loss_db(const TgppLink& link, double f_hz);

double umi_aerial_los_probability(double d2d_m, double terminal_m);
double uma_aerial_los_probability(double d2d_m, double terminal_m);
double rma_aerial_los_probability(double d2d_m, double terminal_m);

/// Standard deviation of the shadowing in line of sight.
double umi_aerial_sigma_los_db(double terminal_m);
double uma_aerial_sigma_los_db(double terminal_m);
double rma_aerial_sigma_los_db(double terminal_m);

}  // namespace hilgate
