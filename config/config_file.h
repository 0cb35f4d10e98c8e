// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace hilgate {

/// The content of a file of the configuration: a regular file of at most so many bytes. Asked for over the control
/// socket it is read on the thread that serves simulators, so nothing waits and nothing is endless: no FIFO, device or
/// folder is read. Throws ConfigError with the file and the reason.
std::string read_config_file(const std::string& file, std::size_t most_bytes = std::size_t{64} << 20);

// Files that files of people name.

/// A file that another one names.
struct FileReference {
  std::string name;            // as it is written there
  std::filesystem::path file;  // where it is
};

/// Where a record keeps a file that the files next to `kept` name, relative to these: "run-files/maps/hall.yaml" for
/// "maps/hall.yaml", "run-files/_up/hall.yaml" for "../hall.yaml", "run-files/_root/srv/hall.yaml" for
/// "/srv/hall.yaml".
std::filesystem::path kept_path(const std::string& name);

/// The file that `from` names as `name`: relative to the folder of `from`, unless that is a record's and keeps the
/// file.
std::filesystem::path referenced_file(const std::filesystem::path& from, const std::string& name);

// Faults of a file that people wrote: each with its position, collected, reported together.

struct Fault {
  std::string file;
  int line = 0;      // from 1; 0: the file as a whole
  std::string path;  // of the key, as in robots.red.mac; may be empty
  std::string text;  // what is wrong, with the value and what would be right

  /// "FILE:LINE: PATH: TEXT", one line.
  [[nodiscard]] std::string line_text() const;
};

/// what() holds one line per fault, in the order of the files' lines.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Fault> faults);
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }

 private:
  std::vector<Fault> faults_;
};

}  // namespace hilgate
