// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/reception_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

namespace hilgate {
namespace {

constexpr std::size_t kAround = 20;  // received frames whose mean is a frame's level

/// A frame with the level around it, or frames with the level of their row.
struct LevelledFrame {
  double level_db = 0;
  FrameTally tally{};
  bool follows = false;  // one frame on the frame before it, of the same path
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
  void pool();
  void validate();
  void look_after_losses();
  [[nodiscard]] long bin_of(double level_db) const { return std::lround(level_db / fit_.step_db); }
  [[nodiscard]] double loss_at(double level_db) const;

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
  pool();
  validate();
  look_after_losses();
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
      frames_.push_back({levels.around(i), {1, *rows[i].received ? 0U : 1U}, follows, half});
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
    frames_.push_back({*row.level_db, *row.tally, false, half});
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
void ReceptionFitter::pool() {
  struct Pool {
    double lost, frames;
    std::size_t bins;
  };
  std::vector<Pool> pools;
  for (const ReceptionBin& bin : fit_.bins) {
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
      fit_.bins[at++].loss = pool.lost / pool.frames;
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

double ReceptionFitter::loss_at(double level_db) const {
  const double at = static_cast<double>(bin_of(level_db)) * fit_.step_db;
  const auto bin = std::lower_bound(fit_.bins.begin(), fit_.bins.end(), at - fit_.step_db / 2,
                                    [](const ReceptionBin& b, double level) { return b.level_db < level; });
  return bin == fit_.bins.end() ? fit_.bins.back().loss : bin->loss;
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
      expected += loss_at(frame.level_db);
    }
  }
  if (std::min(frames[0], frames[1]) >= kLeastFrames) {
    fit_.after_loss = (lost[0] + lost[1]) / (frames[0] + frames[1]);
    fit_.after_loss_error = lost[1] / frames[1] - lost[0] / frames[0];
    fit_.expected_after_loss = expected / (frames[0] + frames[1]);
  }
}

}  // namespace

std::optional<ReceptionFit> fit_reception(const MeasuredLog& log) {
  return ReceptionFitter(log).fit();
}

}  // namespace hilgate
