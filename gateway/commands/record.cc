// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/record.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "gateway/record/record_summary.h"
#include "gateway/record/record_tables.h"

namespace hilgate {
namespace {

void print_summary(const nlohmann::ordered_json& json) {
  for (const auto& [key, value] : json.items()) {
    if (!value.is_object()) {
      fmt::print("{:<16}{}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  if (const auto& totals = json.at("totals"); totals.is_object()) {
    fmt::print("{:<16}in {} + injected {} = out {} + dropped {} + held {}\n", "totals", totals.at("in").dump(),
               totals.at("injected").dump(), totals.at("out").dump(), totals.at("dropped_total").dump(),
               totals.at("held").dump());
  }
}

}  // namespace

int record_show_command(const RecordShowOptions& options) {
  const RecordSummary summary = RecordSummary::of(options.record);
  if (options.json) {
    fmt::print("{}\n", summary.json().dump());
  } else {
    print_summary(summary.json());
  }
  if (const std::string end = summary.end_text(); !end.empty()) {
    fmt::print(stderr, "{}: {}\n", options.record.string(), end);
    return 1;
  }
  return 0;
}

int record_export_command(const RecordExportOptions& options) {
  RecordSummary summary;
  summary.end = export_record(options.record, options.folder, options.json ? TableFormat::kJson : TableFormat::kCsv);
  if (const std::string end = summary.end_text(); !end.empty()) {
    fmt::print(stderr, "{}: {}\n", options.record.string(), end);
  }
  return 0;
}

}  // namespace hilgate
