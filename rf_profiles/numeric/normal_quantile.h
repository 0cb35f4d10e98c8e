// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hilgate {

/// The standard normal distribution function: by the complementary error function.
double normal_probability(double z);

/// Its inverse, for a probability in (0, 1): M. J. Wichura, "Algorithm AS 241: The percentage points of the normal
/// distribution", Applied Statistics 37 (1988), routine PPND16, about 1 part in 10^16. 0 and 1 give infinities.
double normal_quantile(double probability);

}  // namespace hilgate
