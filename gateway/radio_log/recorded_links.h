// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/radio_log/radio_log.h"

namespace hilgate {

/// A row for each second and link of a record: distance, mean level of the link's states, and what the link has
/// released and lost by its radio. A path for each link. Throws as read_record(), and ConfigError for a record without
/// positions or radios and for a link that it has not.
MeasuredLog recorded_rows(const RadioLogOptions& options);

}  // namespace hilgate
