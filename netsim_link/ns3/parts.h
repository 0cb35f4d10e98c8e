// SPDX-License-Identifier: GPL-2.0-only
// ns-3's classes by name, with what people set of them, checked before ns-3 would end the program over them.
#pragma once

#include <map>
#include <string>

#include <ns3/object-factory.h>
#include <ns3/type-id.h>

#include "netsim_link/ns3/scenario.h"

namespace hilgate::ns3net {

using ShortNames = std::map<std::string, std::string>;

/// The class that `part` names, by its short name or ns-3's; `otherwise` when it names none. Throws ScenarioError
/// with file, key, value and what is allowed, for a class or attribute that ns-3 does not have and a value it does not
/// take.
ns3::ObjectFactory factory_of(const Scenario& scenario, const Part& part, const std::string& otherwise,
                              const ShortNames& names, ns3::TypeId base);

/// As ObjectFactory::Set, where the class has such an attribute.
void set_if_known(ns3::ObjectFactory& factory, const std::string& attribute, const ns3::AttributeValue& value);

/// The scenario's `attributes` become ns-3's defaults. Throws as factory_of().
void set_defaults(const Scenario& scenario);

}  // namespace hilgate::ns3net
