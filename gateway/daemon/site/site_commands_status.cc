// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "clock/host_now.h"
#include "gateway/daemon/site/site_commands.h"

namespace hilgate {
namespace {

// What a state may say, and of which kind it is; the rest of what comes from a network is left there.
constexpr std::array<std::pair<const char*, nlohmann::json::value_t>, 8> kShown = {
    {{"run", nlohmann::json::value_t::string},
     {"window", nlohmann::json::value_t::number_unsigned},
     {"windows_missed", nlohmann::json::value_t::number_unsigned},
     {"in", nlohmann::json::value_t::number_unsigned},
     {"out", nlohmann::json::value_t::number_unsigned},
     {"dropped", nlohmann::json::value_t::number_unsigned},
     {"clock", nlohmann::json::value_t::string},
     {"changes", nlohmann::json::value_t::number_unsigned}}};

}  // namespace

void SiteCommands::add_to(nlohmann::ordered_json& site) const {
  site["changes"] = changes_;
  for (nlohmann::ordered_json& gateway : site["gateways"]) {
    const auto found = heard_.find(gateway["name"].get<std::string>());
    gateway.update({{"commands", found != heard_.end()}});
    if (found == heard_.end()) {
      continue;
    }
    gateway.update({{"heard_s", seconds_of(host_now() - found->second.at)}});
    for (const auto& [key, kind] : kShown) {
      const auto said = found->second.state.find(key);
      if (said != found->second.state.end() && said->type() == kind) {
        gateway[key] = *said;
      }
    }
  }
}

}  // namespace hilgate
