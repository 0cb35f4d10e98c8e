// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/assignment_key.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/reader/configuration_reader.h"

namespace hilgate {

/// A configuration as the file has it, or as `hilgate set` has changed it. Immutable but for assignment. Faults name
/// the file's own lines; what was set has none.
class ConfigDocument {
 public:
  ConfigDocument(const ConfigDocument&) = default;
  /// What was there before is freed; yaml-cpp's own assignment keeps the memory of both documents.
  ConfigDocument& operator=(const ConfigDocument& other);
  ~ConfigDocument() = default;

  /// Throws ConfigError when the file cannot be read or is no YAML.
  static ConfigDocument load(const std::filesystem::path& file);
  /// The same of a text that is to be in that file.
  static ConfigDocument parse(const std::string& text, const std::filesystem::path& file);

  /// With assignments laid over it, each KEY=VALUE: KEY is a path of keys joined by dots ("window",
  /// "robots.red.radio"), or "links.FROM.TO.KEY" for what is added to a link ("*" for every robot); VALUE is YAML;
  /// without one the key is taken away. Throws ConfigError that names the assignment.
  [[nodiscard]] ConfigDocument with(const std::vector<std::string>& assignments) const;

  /// Without the assignments of these keys: they are as the file has them.
  [[nodiscard]] ConfigDocument without(const std::vector<std::string>& keys) const;

  /// The assignments in force for the keys of these: KEY=VALUE, or the KEY alone where the file's own value holds.
  [[nodiscard]] std::vector<std::string> standing(const std::vector<std::string>& assignments) const;
  /// The assignments that undo these, in the order in which with() takes them: KEY=VALUE with the value that holds
  /// here, and "KEY=" where none does.
  [[nodiscard]] std::vector<std::string> undoing(const std::vector<std::string>& assignments) const;
  /// Restores what standing() returned.
  [[nodiscard]] ConfigDocument with_standing(const std::vector<std::string>& before) const;

  /// Throws ConfigError with every fault.
  [[nodiscard]] Configuration read(const KnownNames& known) const;

  /// The assignments that lie over the file, in their order.
  [[nodiscard]] const std::vector<std::string>& assignments() const { return assignments_; }

  /// Of the file, as it was read.
  [[nodiscard]] const std::string& text() const { return text_; }

  /// What stands under a path of keys, as YAML, a list on one line, as with() takes it; all of it for an empty path.
  /// "links.FROM.TO" is what all items say of that link together. Throws std::runtime_error where nothing stands.
  [[nodiscard]] std::string value(const std::string& path) const;

  /// The file that `physics` names, if it names one.
  [[nodiscard]] std::optional<std::filesystem::path> physics_file() const;
  /// Whether that file has the positions of `body`, which `physics.tracks` then has not.
  [[nodiscard]] bool moves_by_file(const std::string& body) const;

  /// What stands under a key of the top level, in one way of writing; empty when it is not there.
  [[nodiscard]] std::string section(std::string_view key) const;

 private:
  ConfigDocument(std::string file, std::string text, std::vector<std::string> assignments);
  [[nodiscard]] YAML::Node tree() const;
  [[nodiscard]] std::optional<std::string> found(const std::string& path) const;

  std::string file_;
  std::string text_;  // of the file
  std::vector<std::string> assignments_;
  YAML::Node root_;  // of all that; never written to
};

}  // namespace hilgate
