// SPDX-License-Identifier: Apache-2.0
// The models by the names they have in tables of reference values, one function per file of models.
#pragma once

#include "rf_profiles/oracle/oracle.h"

namespace hilgate {

void add_error_oracles(OracleTable& table);
void add_fading_oracles(OracleTable& table);
void add_packet_oracles(OracleTable& table);
void add_path_loss_oracles(OracleTable& table);
void add_propagation_oracles(OracleTable& table);
void add_terrain_oracles(OracleTable& table);
void add_wifi_oracles(OracleTable& table);

}  // namespace hilgate
