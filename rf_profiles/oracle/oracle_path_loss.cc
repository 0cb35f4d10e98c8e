// SPDX-License-Identifier: Apache-2.0
// Every path loss model of a profile, by its name there, for a pair as a gateway sees it: NAME/pair_loss. The inputs
// d2d_m, high_m, low_m (heights, 1.5 m where absent), condition (LOS where absent) and f_hz are the pair; all others
// are the model's keys as in a profile, with their units.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "config/model_table.h"
#include "rf_profiles/oracle/oracle_models.h"
#include "rf_profiles/path_loss/path_loss.h"

namespace hilgate {
namespace {

constexpr std::array<std::string_view, 5> kPairInputs = {"d2d_m", "high_m", "low_m", "condition", "f_hz"};

PathLossModel model_with_keys(const std::string& name, const OracleInputs& in) {
  std::string text = "model: " + name + "\n";
  for (const auto& [key, value] : in.all()) {
    if (std::find(kPairInputs.begin(), kPairInputs.end(), key) == kPairInputs.end()) {
      text.append(key).append(": ").append(value).append("\n");
    }
  }
  YamlDocument document = YamlDocument::parse(text, "inputs");
  YamlReader root = document.root();
  auto model = read_model<PathLossModel>(root, "model");
  document.finish();
  return model;
}

double pair_loss(const std::string& name, const OracleInputs& in) {
  constexpr double kHeight = 1.5;  // m
  const double d2d_m = in.number("d2d_m");
  const double high_m = in.number("high_m", kHeight);
  const double low_m = in.number("low_m", kHeight);
  const bool in_sight = !in.has("condition") || in.text("condition") == "LOS";
  return path_loss(model_with_keys(name, in), {d2d_m, std::hypot(d2d_m, high_m - low_m), high_m, low_m, in_sight},
                   Hertz{in.number("f_hz")})
      .value;
}

}  // namespace

void add_path_loss_oracles(OracleTable& table) {
  for (const auto& [name, model] : models_by_name<PathLossModel>()) {
    table[name + "/pair_loss"] = [name = name](const OracleInputs& in) { return pair_loss(name, in); };
  }
}

}  // namespace hilgate
