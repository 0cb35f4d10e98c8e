// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/model/run_status.h"

namespace hilgate {

StatusJson to_json(const RunStatus& status) {
  return status_json_of(status);
}

StatusJson to_json(const TotalsStatus& totals) {
  return status_json_of(totals);
}

StatusJson to_json(const ClockReportStatus& clock) {
  return status_json_of(clock);
}

std::vector<StatusField> status_fields() {
  std::vector<StatusField> fields;
  list_status_fields<RunStatus>("", fields);
  return fields;
}

}  // namespace hilgate
