// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/probe/probe.h"

namespace hilgate {

/// The sending end of `hilgate probe`; returns when the last probe has left. Requires options that check_probe() takes.
/// Throws std::runtime_error when the system refuses.
void send_probes(const ProbeSendOptions& options);

}  // namespace hilgate
