// SPDX-License-Identifier: Apache-2.0
#include "path/air/access_methods.h"

#include <algorithm>

#include "path/air/aloha.h"
#include "path/air/dcf.h"
#include "path/air/overlapping_dcf.h"
#include "path/air/round_robin.h"
#include "path/air/scheduled.h"
#include "path/air/tdma.h"

namespace hilgate {
namespace {

template <class Method>
std::unique_ptr<AccessMethod> make(const AirDomain& rules, Transmitters& transmitters) {
  return std::make_unique<Method>(rules, transmitters);
}

struct AccessMethodType {
  MediumAccess access;
  const char* text;
  std::unique_ptr<AccessMethod> (*make)(const AirDomain& rules, Transmitters& transmitters);
};

constexpr AccessMethodType kTypes[] = {
    {MediumAccess::kDcf, "csma", make<Dcf>},
    {MediumAccess::kOverlappingDcf, "csma, hidden stations", make<OverlappingDcf>},
    {MediumAccess::kAloha, "aloha", make<Aloha>},
    {MediumAccess::kRoundRobin, "tdm, round robin", make<RoundRobin>},
    {MediumAccess::kTdma, "tdm, slots", make<Tdma>},
    {MediumAccess::kScheduled, "scheduled", make<Scheduled>},
};

const AccessMethodType& type_of(MediumAccess access) {
  return *std::ranges::find(kTypes, access, &AccessMethodType::access);
}

}  // namespace

std::unique_ptr<AccessMethod> make_access_method(const AirDomain& rules, Transmitters& transmitters) {
  return type_of(rules.access).make(rules, transmitters);
}

std::string access_text(const AirDomain& rules) {
  return std::string(type_of(rules.access).text) + (rules.both_ways ? ", TDD" : "");
}

}  // namespace hilgate
