// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/reception_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "rf_profiles/errors/link_spread.h"

namespace hilgate {
namespace {

constexpr std::size_t kAround = 20;  // received frames whose mean is a frame's level

/// Curve of the losses by level, and what it takes to know how paths differ.
struct PathLosses {
  std::vector<ReceptionBin> curve;
  std::map<double, double> lost;        // frames, by the loss of the curve at their level
  std::map<double, double> after_loss;  // likewise, frames after a lost one
  double lost_beside = 0;               // of the other frames of a lost one's path, the lost ones: sum of shares
  double lost_after = 0;                // lost frames after a lost one
  std::size_t lossy_paths = 0;
};

/// A frame with the level around it, or frames with the level of their row.
struct LevelledFrame {
  double level_db = 0;
  FrameTally tally{};
  bool follows = false;  // one frame on the frame before it, of the same path
  std::size_t path = 0;
  std::size_t half = 0;  // of the log, for validation: 0 or 1
};

// Levels of the received frames of one path, as running sums.
class PathLevels {
 public:
  explicit PathLevels(std::span<const MeasuredRow> rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].received.value_or(false) && rows[i].level_db) {
        at_.push_back(i);
        sums_.push_back(sums_.back() + *rows[i].level_db);
      }
    }
  }
  [[nodiscard]] bool any() const { return !at_.empty(); }
  [[nodiscard]] double around(std::size_t row) const {
    const auto next = static_cast<std::size_t>(std::lower_bound(at_.begin(), at_.end(), row) - at_.begin());
    const std::size_t count = std::min(kAround, at_.size());
    std::size_t begin = next > count / 2 ? next - count / 2 : 0;
    begin = std::min(begin, at_.size() - count);
    return (sums_[begin + count] - sums_[begin]) / static_cast<double>(count);
  }

 private:
  std::vector<std::size_t> at_;
  std::vector<double> sums_ = {0};
};

class ReceptionFitter {
 public:
  explicit ReceptionFitter(const MeasuredLog& log) : log_(log) {}
  std::optional<ReceptionFit> fit();

 private:
  void add_path(std::span<const MeasuredRow> rows);
  void add_tally(const MeasuredRow& row, std::size_t half);
  void fill_bins();
  static void pool(std::vector<ReceptionBin>& bins);
  void validate();
  void look_after_losses();
  void look_at_paths();
  [[nodiscard]] PathLosses path_losses(std::optional<std::size_t> half) const;
  [[nodiscard]] long bin_of(double level_db) const { return std::lround(level_db / fit_.step_db); }
  [[nodiscard]] double loss_at(const std::vector<ReceptionBin>& bins, double level_db) const;

  const MeasuredLog& log_;
  ReceptionFit fit_;
  std::vector<LevelledFrame> frames_;
};

std::optional<ReceptionFit> ReceptionFitter::fit() {
  for (std::size_t begin = 0; begin < log_.rows.size();) {
    std::size_t end = begin;
    while (end < log_.rows.size() && log_.rows[end].path == log_.rows[begin].path) {
      ++end;
    }
    add_path(std::span(log_.rows).subspan(begin, end - begin));
    begin = end;
  }
  if (frames_.empty()) {
    return std::nullopt;
  }
  fill_bins();
  pool(fit_.bins);
  validate();
  look_after_losses();
  look_at_paths();
  return std::move(fit_);
}

void ReceptionFitter::add_path(std::span<const MeasuredRow> rows) {
  const PathLevels levels(rows);
  bool follows = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // Halves of a log of few paths are blocks of rows, those of many are paths.
    constexpr std::size_t kManyPaths = 10;
    constexpr std::size_t kBlocks = 20;
    const std::size_t half = log_.paths >= kManyPaths ? rows[i].path % 2 : i * kBlocks / rows.size() % 2;
    if (!rows[i].received) {
      follows = false;
      add_tally(rows[i], half);
    } else if (levels.any()) {
      frames_.push_back({levels.around(i), {1, *rows[i].received ? 0U : 1U}, follows, rows[i].path, half});
      follows = true;
    } else {
      ++fit_.without_level;
    }
  }
}

void ReceptionFitter::add_tally(const MeasuredRow& row, std::size_t half) {
  if (!row.tally || row.tally->frames == 0) {
    return;
  }
  if (row.level_db) {
    frames_.push_back({*row.level_db, *row.tally, false, row.path, half});
  } else {
    fit_.without_level += row.tally->frames;
  }
}

void ReceptionFitter::fill_bins() {
  const auto [least, most] =
      std::minmax_element(frames_.begin(), frames_.end(),
                          [](const LevelledFrame& a, const LevelledFrame& b) { return a.level_db < b.level_db; });
  constexpr double kMostBins = 60;
  fit_.step_db = std::max(1.0, std::ceil((most->level_db - least->level_db) / kMostBins));
  std::map<long, ReceptionBin> bins;
  for (const LevelledFrame& frame : frames_) {
    ReceptionBin& bin = bins[bin_of(frame.level_db)];
    bin.level_db = static_cast<double>(bin_of(frame.level_db)) * fit_.step_db;
    bin.frames += frame.tally.frames;
    bin.lost += frame.tally.lost;
    fit_.frames += frame.tally.frames;
    fit_.loss += static_cast<double>(frame.tally.lost);
  }
  for (const auto& [at, bin] : bins) {
    fit_.bins.push_back(bin);
  }
  fit_.loss /= static_cast<double>(fit_.frames);
}

// Pool adjacent violators (M. Ayer et al., 1955).
void ReceptionFitter::pool(std::vector<ReceptionBin>& bins) {
  struct Pool {
    double lost, frames;
    std::size_t bins;
  };
  std::vector<Pool> pools;
  for (const ReceptionBin& bin : bins) {
    pools.push_back({static_cast<double>(bin.lost), static_cast<double>(bin.frames), 1});
    while (pools.size() > 1) {
      const Pool last = pools.back();
      Pool& before = pools[pools.size() - 2];
      if (last.lost * before.frames <= before.lost * last.frames) {
        break;
      }
      before = {before.lost + last.lost, before.frames + last.frames, before.bins + last.bins};
      pools.pop_back();
    }
  }
  std::size_t at = 0;
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.bins; ++i) {
      bins[at++].loss = pool.lost / pool.frames;
    }
  }
}

void ReceptionFitter::validate() {
  struct Halves {
    double lost[2] = {0, 0};
    double frames[2] = {0, 0};
  };
  std::map<long, Halves> halves;
  for (const LevelledFrame& frame : frames_) {
    Halves& bin = halves[bin_of(frame.level_db)];
    bin.frames[frame.half] += static_cast<double>(frame.tally.frames);
    bin.lost[frame.half] += static_cast<double>(frame.tally.lost);
  }
  constexpr double kEnough = 100;  // frames
  for (ReceptionBin& bin : fit_.bins) {
    const Halves& both = halves[bin_of(bin.level_db)];
    if (both.frames[0] > 0 && both.frames[1] > 0) {
      bin.held_out_error = both.lost[1] / both.frames[1] - both.lost[0] / both.frames[0];
    }
    if (both.frames[0] >= kEnough && both.frames[1] >= kEnough) {
      fit_.error_points = std::max(fit_.error_points, 100 * std::abs(bin.held_out_error));
    }
  }
}

double ReceptionFitter::loss_at(const std::vector<ReceptionBin>& bins, double level_db) const {
  const double at = static_cast<double>(bin_of(level_db)) * fit_.step_db;
  const auto bin = std::lower_bound(bins.begin(), bins.end(), at - fit_.step_db / 2,
                                    [](const ReceptionBin& b, double level) { return b.level_db < level; });
  return bin == bins.end() ? bins.back().loss : bin->loss;
}

void ReceptionFitter::look_after_losses() {
  constexpr double kLeastFrames = 30;
  double frames[2] = {0, 0};  // by half
  double lost[2] = {0, 0};
  double expected = 0;
  for (std::size_t i = 1; i < frames_.size(); ++i) {
    const LevelledFrame& frame = frames_[i];
    if (frame.follows && frames_[i - 1].tally.lost > 0) {
      frames[frame.half] += 1;
      lost[frame.half] += frame.tally.lost > 0 ? 1 : 0;
      expected += loss_at(fit_.bins, frame.level_db);
    }
  }
  if (std::min(frames[0], frames[1]) >= kLeastFrames) {
    fit_.after_loss = (lost[0] + lost[1]) / (frames[0] + frames[1]);
    fit_.after_loss_error = lost[1] / frames[1] - lost[0] / frames[0];
    fit_.expected_after_loss = expected / (frames[0] + frames[1]);
  }
}

// Of one half of the log, or of all of it.
PathLosses ReceptionFitter::path_losses(std::optional<std::size_t> half) const {
  PathLosses found;
  std::map<long, ReceptionBin> bins;
  std::map<std::size_t, FrameTally> paths;
  const auto counts = [&](const LevelledFrame& frame) {
    return frame.tally.frames == 1 && (!half || frame.half == *half);
  };
  for (const LevelledFrame& frame : frames_) {
    if (counts(frame)) {
      ReceptionBin& bin = bins[bin_of(frame.level_db)];
      bin.level_db = static_cast<double>(bin_of(frame.level_db)) * fit_.step_db;
      ++bin.frames;
      bin.lost += frame.tally.lost;
      ++paths[frame.path].frames;
      paths[frame.path].lost += frame.tally.lost;
    }
  }
  for (const auto& [at, bin] : bins) {
    found.curve.push_back(bin);
  }
  pool(found.curve);
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const LevelledFrame& frame = frames_[i];
    if (counts(frame) && frame.tally.lost > 0) {
      found.lost[loss_at(found.curve, frame.level_db)] += 1;
    }
    if (counts(frame) && frame.follows && frames_[i - 1].tally.lost > 0) {
      found.after_loss[frame.level_db] += 1;
      found.lost_after += frame.tally.lost > 0 ? 1 : 0;
    }
  }
  for (const auto& [path, tally] : paths) {
    const auto lost = static_cast<double>(tally.lost);
    found.lost_beside += tally.frames > 1 ? lost * (lost - 1) / (static_cast<double>(tally.frames) - 1) : 0;
    found.lossy_paths += tally.lost > 0 ? 1 : 0;
  }
  return found;
}

double sum_of(const std::map<double, double>& frames) {
  double sum = 0;
  for (const auto& [at, count] : frames) {
    sum += count;
  }
  return sum;
}

// With which lost frames have as many lost neighbours, in all of their paths, as were measured.
double share_of(const PathLosses& paths) {
  double low = 0;
  double high = LinkSpread::kMost;
  constexpr int kHalvings = 30;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    double beside = 0;
    for (const auto& [loss, frames] : paths.lost) {
      beside += frames * loss_beside_loss(loss, middle);
    }
    (beside < paths.lost_beside ? low : high) = middle;
  }
  return (low + high) / 2;
}

void ReceptionFitter::look_at_paths() {
  constexpr std::size_t kLeastPaths = 10;
  const PathLosses halves[] = {path_losses(0), path_losses(1)};
  if (!fit_.after_loss || std::min(halves[0].lossy_paths, halves[1].lossy_paths) < kLeastPaths) {
    return;
  }
  fit_.path_share = share_of(path_losses(std::nullopt));
  for (const std::size_t fitted : {0U, 1U}) {
    const PathLosses& other = halves[1 - fitted];
    const double share = share_of(halves[fitted]);
    double predicted = 0;
    std::map<double, double> by_loss;
    for (const auto& [level_db, frames] : other.after_loss) {
      by_loss[loss_at(halves[fitted].curve, level_db)] += frames;
    }
    for (const auto& [loss, frames] : by_loss) {
      predicted += frames * loss_beside_loss(loss, share);
    }
    const double points = 100 * std::abs(predicted - other.lost_after) / sum_of(other.after_loss);
    fit_.after_loss_points = std::max(fit_.after_loss_points, points);
  }
}

}  // namespace

std::optional<ReceptionFit> fit_reception(const MeasuredLog& log) {
  return ReceptionFitter(log).fit();
}

}  // namespace hilgate
