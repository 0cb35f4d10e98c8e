// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/parts.h"

#include <fmt/format.h>
#include <ns3/config.h>
#include <ns3/string.h>

#include "config/plain_text.h"

namespace hilgate::ns3net {
namespace {

// The available names, for the message about an unknown one.
std::string known_names(const ShortNames& names, ns3::TypeId base) {
  std::string text;
  for (const auto& [name, type] : names) {
    text += name + ", ";
  }
  return text + "or a class of ns-3 derived from " + base.GetName();
}

void check_setting(const Scenario& scenario, const std::string& key, const ns3::TypeId& type, const std::string& name,
                   const std::string& value) {
  ns3::TypeId::AttributeInformation attribute;
  if (!type.LookupAttributeByName(name, &attribute)) {
    std::string known;
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i) {
      known += (i > 0 ? ", " : "") + type.GetAttribute(i).name;
    }
    throw ScenarioError(fmt::format("{}: {}.settings: {} has no attribute '{}'; it has {}", scenario.file, key,
                                    type.GetName(), shown(name), known));
  }
  key_being_built() = fmt::format("{}.settings.{}", key, name);  // of some values ns-3 speaks itself, and ends
  if (attribute.checker->CreateValidValue(ns3::StringValue(value)) == nullptr) {
    throw ScenarioError(fmt::format("{}: {}.settings.{}: ns-3 rejects '{}'; {}", scenario.file, key, name, shown(value),
                                    attribute.help));
  }
}

}  // namespace

ns3::ObjectFactory factory_of(const Scenario& scenario, const Part& part, const std::string& otherwise,
                              const ShortNames& names, ns3::TypeId base) {
  const std::string& asked = part.type.empty() ? otherwise : part.type;
  const auto shorter = names.find(asked);
  const std::string& name = shorter != names.end() ? shorter->second : asked;
  ns3::TypeId type;
  if (!ns3::TypeId::LookupByNameFailSafe(name, &type) || !type.IsChildOf(base) || !type.HasConstructor()) {
    throw ScenarioError(
        fmt::format("{}: {}: unknown value '{}'; {}", scenario.file, part.key, shown(asked), known_names(names, base)));
  }
  ns3::ObjectFactory factory;
  factory.SetTypeId(type);
  for (const auto& [setting, value] : part.settings) {
    check_setting(scenario, part.key, type, setting, value);
    factory.Set(setting, ns3::StringValue(value));
  }
  return factory;
}

void set_if_known(ns3::ObjectFactory& factory, const std::string& attribute, const ns3::AttributeValue& value) {
  ns3::TypeId::AttributeInformation known;
  if (factory.GetTypeId().LookupAttributeByName(attribute, &known)) {
    factory.Set(attribute, value);
  }
}

void set_defaults(const Scenario& scenario) {
  for (const auto& [name, value] : scenario.attributes) {
    if (!ns3::Config::SetDefaultFailSafe(name, ns3::StringValue(value))) {
      throw ScenarioError(
          fmt::format("{}: attributes.{}: ns-3 has no such attribute, or rejects '{}'; example: "
                      "ns3::WifiMac::BE_MaxAmpduSize: 0",
                      scenario.file, shown(name), shown(value)));
    }
  }
}

}  // namespace hilgate::ns3net
