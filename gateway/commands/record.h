// SPDX-License-Identifier: Apache-2.0
// hilgate record: what a run's record has.
#pragma once

#include <filesystem>

namespace hilgate {

struct RecordShowOptions {
  std::filesystem::path record;
  bool json = false;
};
/// Prints what run it is of and how far it goes. 0; 1 when its end is missing. Throws std::runtime_error for what is no
/// record.
int record_show_command(const RecordShowOptions& options);

struct RecordExportOptions {
  std::filesystem::path record;
  std::filesystem::path folder;
  bool json = false;
};
/// Writes its tables to files. 0, also when its end is missing, which is said on standard error.
int record_export_command(const RecordExportOptions& options);

struct RecordSceneOptions {
  std::filesystem::path record;
  std::filesystem::path output;
};
/// Writes it as an MCAP that Foxglove draws, with the obstacles of the record's configuration. As
/// record_export_command().
int record_scene_command(const RecordSceneOptions& options);

}  // namespace hilgate
