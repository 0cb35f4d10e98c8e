// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/run/simulation/site_air.h"

namespace hilgate {

void SiteAir::add_to(nlohmann::ordered_json& site) const {
  using Json = nlohmann::ordered_json;
  const auto& gateways = configuration_.site->gateways;
  Json speakers = Json::array();
  std::uint64_t refused = 0;
  for (std::uint32_t i = 0; i < gateways.size(); ++i) {
    refused += texts_[i].refused();
    if (authors_.speaks(i)) {
      speakers.push_back(gateways[i].name);
    }
  }
  const auto author = authors_.author();
  site.update({{"air",
                {{"decides", judged_by_packet(configuration_) ? "frames" : "links"},
                 {"author", author ? Json(gateways[*author].name) : Json(nullptr)},
                 {"authors", std::move(speakers)},
                 {"lag_windows", lag_},
                 {"changes", authors_.changes()},
                 {"without_word", authors_.without_word()},
                 {"late", authors_.late()},
                 {"unsaid", unsaid_},
                 {"refused", refused}}}});
}

}  // namespace hilgate
