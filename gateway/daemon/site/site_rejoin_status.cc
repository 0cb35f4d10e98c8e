// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "gateway/daemon/site/site_rejoin.h"

namespace hilgate {

void SiteRejoin::add_to(nlohmann::ordered_json& site) const {
  site.update({{"began_anew", times_}});
}

}  // namespace hilgate
