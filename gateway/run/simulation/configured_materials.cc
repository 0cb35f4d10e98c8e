// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/configured_materials.h"

namespace hilgate {
namespace {

Material material_of(const MaterialConfig& config) {
  if (config.loss_db) {
    return {config.name, FixedLoss{*config.loss_db}};
  }
  return builtin_material(config.name).value();  // configuration names no other
}

}  // namespace

std::vector<Material> materials_of(const Configuration& configuration) {
  std::vector<Material> materials;
  for (const MaterialConfig& material : configuration.world.materials) {
    materials.push_back(material_of(material));
  }
  return materials;
}

}  // namespace hilgate
