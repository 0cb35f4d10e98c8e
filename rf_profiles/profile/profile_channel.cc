// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/profile_channel.h"

#include "config/model_table.h"
#include "config/range.h"

namespace hilgate {
namespace {

ShadowSpread read_spread(YamlReader& shadowing, std::string_view sight) {
  YamlReader spread = shadowing.child(sight);
  return {within<Decibels>(spread, "sigma", 0, 30), within<Metres>(spread, "correlation", 0.01, 1e6).value};
}

FadingLaw read_law(YamlReader& fading, std::string_view sight) {
  YamlReader law = fading.child(sight);
  return read_model<FadingLaw>(law, "type");
}

}  // namespace

RadioChannel read_channel(YamlReader channel) {
  RadioChannel out;
  YamlReader path_loss = channel.child("path_loss");
  out.path_loss = read_model<PathLossModel>(path_loss, "model");
  out.draws_sight = channel.choice<bool>("sight", {{"scene", false}, {"drawn", true}}, {false});
  if (std::optional<YamlReader> shadowing = channel.optional_child("shadowing")) {
    out.shadowing = {read_spread(*shadowing, "los"), read_spread(*shadowing, "nlos")};
  }
  if (std::optional<YamlReader> fading = channel.optional_child("fading")) {
    out.fading = {read_law(*fading, "los"), read_law(*fading, "nlos"), {}};
    if (fading->has("doppler")) {
      out.fading.doppler = within<Hertz>(*fading, "doppler", 0, 1e5);
    }
  }
  return out;
}

}  // namespace hilgate
