// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/config_file.h"
#include "config/yaml_edit.h"
#include "gateway/configuration/known_names.h"

namespace hilgate {

/// A change that people must agree to: what() is why.
class NeedsConsent : public std::runtime_error {
 public:
  NeedsConsent(const std::string& why, std::vector<std::string> comments_lost);
  [[nodiscard]] const std::vector<std::string>& lost_comments() const { return lost_comments_; }

 private:
  std::vector<std::string> lost_comments_;
};

/// A configuration file with changes that are not saved yet: the draft. Not for more than one thread.
class EditedFile {
 public:
  /// Throws ConfigError when the file cannot be read. It need be no valid configuration.
  EditedFile(const std::filesystem::path& file, KnownNames known);

  /// All or none; comments that go with what is removed only with consent. Throws YamlEditError and NeedsConsent.
  void change(const std::vector<YamlChange>& changes, bool may_lose_comments);
  void write(std::string text);
  /// Takes the last change or text back; does nothing without one.
  void undo();
  /// The draft becomes the file's content. Throws ConfigError when it is not valid, and std::runtime_error when the
  /// file has changed since it was read, or cannot be written.
  void save();
  /// The file's content becomes the draft. Throws ConfigError when it cannot be read.
  void read_again();

  [[nodiscard]] bool is_saved() const { return text_ == on_disk_; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// For the page: file, text, saved, can_undo, faults [{line, path, text}] of this file and others, world (of
  /// world_report(), of the newest valid draft; null before one), tree (null where the text is no YAML): {"line",
  /// "scalar"}, {"line", "keys": [[KEY, node], ...]} or {"line", "items": [node, ...]}, and radios.
  [[nodiscard]] nlohmann::ordered_json report() const;

 private:
  void remember();
  void check();

  std::filesystem::path file_;  // what symbolic links lead to
  KnownNames known_;
  std::string text_;
  std::string on_disk_;  // when it was last read or written
  std::vector<std::string> before_;
  std::vector<Fault> faults_;
  std::shared_ptr<const nlohmann::ordered_json> world_;
};

}  // namespace hilgate
