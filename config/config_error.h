// SPDX-License-Identifier: Apache-2.0
// Faults of a file that people wrote: each with its position, collected, reported together.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace hilgate {

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
