// SPDX-License-Identifier: Apache-2.0
// What certify measures: one figure a line, its yardstick, and the limit by which it passes.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hilgate {

/// Every figure is measured so often, and judged only then.
inline constexpr std::size_t kCertifyRounds = 5;

/// "at least 0.5x", "at most 100": x stands for the yardstick's median of the same run, else it is the figure's unit.
struct CertifyLimit {
  bool at_least = false;
  double value = 0;
  bool of_yardstick = false;
};

struct CertifyFigure {
  std::string key;        // wire.ndr.64
  std::string_view unit;  // "frames/s"; empty: a count
  std::string text;       // for people
  std::string yardstick;  // key of its samples
  std::string_view yardstick_text;
  CertifyLimit limit;
  bool judged_by_worst = false;  // instead of the median of its rounds
};

/// Those of each subject; the frame sizes matter to some.
std::vector<CertifyFigure> core_figures(const std::vector<std::string>& sizes);
std::vector<CertifyFigure> release_figures(const std::vector<std::string>& sizes);
std::vector<CertifyFigure> wire_figures(const std::vector<std::string>& sizes);
std::vector<CertifyFigure> live_figures(const std::vector<std::string>& sizes);
std::vector<CertifyFigure> windows_figures(const std::vector<std::string>& sizes);

/// A value for each round, by the figure's key.
using CertifySamples = std::map<std::string, std::vector<double>>;

enum class CertifyVerdict { kPass, kFail, kNotMeasured };
std::string_view name(CertifyVerdict verdict);

struct CertifySpread {
  double least = 0, median = 0, most = 0;
};
/// Empty without values.
std::optional<CertifySpread> spread_of(std::vector<double> values);

struct CertifyLine {
  CertifyFigure figure;
  std::vector<double> values;  // one a round
  std::optional<CertifySpread> spread;
  std::optional<CertifySpread> yardstick;
  CertifyVerdict verdict = CertifyVerdict::kNotMeasured;
  std::string note;  // why not measured, or what limited the figure

  /// Of the medians.
  [[nodiscard]] std::optional<double> ratio() const;
};

/// `reason`: why its subject was not measured, or not in all rounds; empty: it was.
CertifyLine judge(const CertifyFigure& figure, const CertifySamples& samples, const std::string& reason);

/// Reads "0.5x" or "100"; the direction is the figure's own. Throws std::invalid_argument.
CertifyLimit read_limit(const CertifyLimit& otherwise, std::string_view text);
/// "at least 0.5x".
std::string limit_text(const CertifyLimit& limit);

}  // namespace hilgate
