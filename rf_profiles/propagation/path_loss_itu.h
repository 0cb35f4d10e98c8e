// SPDX-License-Identifier: Apache-2.0
// ITU-R and the cellular classics; dB as positive numbers. Formulas in radio-models 3.2.
#pragma once

#include <cstdint>

namespace hilgate {

/// ITU-R P.1238 indoors, with the floors between the ends.
enum class P1238Building : std::uint8_t { kResidential, kOffice, kCommercial };
double itu_p1238_loss_db(P1238Building building, double d_m, unsigned floors, double f_hz);

/// ITU-R P.1411 in line of sight: mean of the lower and the upper bound; 3-D distance, heights of both ends.
double itu_p1411_los_loss_db(double d3d_m, double height1_m, double height2_m, double f_hz);

/// Empirical, 2.6 GHz.
double kun_2600_loss_db(double d3d_m);

enum class HataArea : std::uint8_t { kUrban, kSuburban, kOpen };
/// Okumura-Hata up to 1.5 GHz; 3-D distance.
double okumura_hata_loss_db(HataArea area, bool large_city, double d3d_m, double base_m, double mobile_m, double f_hz);

/// COST 231's extension of Hata, 1.5 to 2 GHz. `mobile_slope` is 1.1 in COST 231; ns-3.37 has 1.11.
double cost231_loss_db(double d3d_m, double base_m, double mobile_m, double f_hz, double mobile_slope = 1.1);

}  // namespace hilgate
