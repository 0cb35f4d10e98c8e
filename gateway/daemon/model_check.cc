// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/model_check.h"

#include <stdexcept>

#include "config/config_file.h"

namespace hilgate {

Simulation try_models(const Configuration& configuration) {
  try {
    return make_simulation(configuration);
  } catch (const ConfigError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw ConfigError({{configuration.file.string(), 0, "", error.what()}});
  }
}

}  // namespace hilgate
