// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/impairments.h"

#include <algorithm>

#include "config/yaml_reader.h"
#include "netsim_link/impairments/flow_rules.h"

namespace hilgate {

Impairments read_impairments(YamlReader& link) {
  Impairments impairments;
  for_each_impairment(
      [&link]<class Model>(std::optional<Model>& model) {
        if constexpr (requires { Model::read(link); }) {
          model = Model::read(link);
        }
      },
      impairments);
  return impairments;
}

std::vector<std::string_view> impairment_keys() {
  std::vector<std::string_view> keys;
  const Impairments none;
  for_each_impairment(
      [&keys]<class Model>(const std::optional<Model>& /*model*/) {
        if constexpr (requires { Model::kKey; }) {
          keys.push_back(Model::kKey);
        }
      },
      none);
  return keys;
}

void lay_over(const Impairments& change, Impairments& impairments) {
  for_each_impairment(
      [](const auto& changed, auto& model) {
        if (changed) {
          model = changed;
        }
      },
      change, impairments);
}

bool idle(const Impairments& impairments) {
  bool all_idle = impairments.flows == nullptr;
  for_each_impairment(
      [&all_idle](const auto& model) {
        if constexpr (requires { model->idle(); }) {
          all_idle = all_idle && (!model || model->idle());
        } else {
          all_idle = all_idle && !model;
        }
      },
      impairments);
  return all_idle;
}

std::vector<std::string_view> timed_by_host(const Impairments& impairments) {
  std::vector<std::string_view> names;
  for_each_impairment(
      [&names]<class Model>(const std::optional<Model>& model) {
        if constexpr (requires { model->timed_by_host(); }) {
          if (model && model->timed_by_host()) {
            names.push_back(kImpairmentName<Model>);
          }
        }
      },
      impairments);
  if (impairments.flows != nullptr) {
    for (const FlowRule& rule : impairments.flows->rules) {
      const std::vector<std::string_view> of_rule = timed_by_host(rule.changes);
      names.insert(names.end(), of_rule.begin(), of_rule.end());
    }
  }
  return names;
}

double mean_loss(const Impairments& impairments) {
  double loss = 0;
  for_each_impairment(
      [&loss](const auto& model) {
        if constexpr (requires { model->mean_loss(); }) {
          const double other = model ? model->mean_loss() : 0;
          loss += other - loss * other;  // causes that do not depend on each other; exact with a single one
        }
      },
      impairments);
  return loss;
}

Nanoseconds mean_delay(const Impairments& impairments) {
  Nanoseconds delay{0};
  for_each_impairment(
      [&delay](const auto& model) {
        if constexpr (requires { model->mean_delay(); }) {
          delay += model ? model->mean_delay() : Nanoseconds{0};
        }
      },
      impairments);
  return delay;
}

Nanoseconds memory_delay(const Impairments& impairments) {
  Nanoseconds delay{0};
  for_each_impairment(
      [&delay](const auto& model) {
        if constexpr (requires { model->memory_delay(); }) {
          delay += model ? model->memory_delay() : Nanoseconds{0};
        }
      },
      impairments);
  return delay;
}

std::optional<DropReason> draw_loss(const Impairments& impairments, const ImpairedFrame& frame, ImpairmentState& state,
                                    FrameRandom& random) {
  std::optional<DropReason> lost;
  for_each_impairment(
      [&](const auto& model, auto& memory) {
        if constexpr (requires { model->lose(frame, memory, random); }) {
          if (!lost && model) {
            lost = model->lose(frame, memory, random);
          }
        }
      },
      impairments, state);
  return lost;
}

ImpairedTiming draw_timing(const Impairments& impairments, const ImpairedFrame& frame, ImpairmentState& state,
                           FrameRandom& random) {
  ImpairedTiming timing;
  for_each_impairment(
      [&](const auto& model, auto& memory) {
        if constexpr (requires { model->retime(frame, memory, random, timing); }) {
          if (model) {
            model->retime(frame, memory, random, timing);
          }
        }
      },
      impairments, state);
  return timing;
}

}  // namespace hilgate
