// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/survey_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "rf_profiles/survey/survey.h"
#include "rf_profiles/survey/surveyed_floors.h"

namespace hilgate {
namespace {

using Clock = std::chrono::steady_clock;

/// Hands out units that are not done, largest first, and counts.
class Progress {
 public:
  explicit Progress(const SurveyWork& work) {
    for (std::uint64_t unit = work.units(); unit-- > 0;) {
      if (!work.done(unit)) {
        units_.push_back(unit);
        total_ += work.effort(unit);
      }
    }
  }
  [[nodiscard]] std::size_t left() const { return units_.size(); }

  bool take(std::uint64_t& unit) {
    const std::size_t place = next_.fetch_add(1);
    if (place >= units_.size()) {
      return false;
    }
    unit = units_[place];
    return true;
  }
  void finished(std::uint64_t effort) { finished_.fetch_add(effort); }

  [[nodiscard]] std::string line(Clock::duration passed) const {
    const double share = total_ == 0 ? 1 : static_cast<double>(finished_.load()) / static_cast<double>(total_);
    const double seconds = std::chrono::duration<double>(passed).count();
    constexpr int kWidth = 30;
    const int bars = static_cast<int>(share * kWidth);
    const std::string left =
        share > 0 ? fmt::format("{:%H:%M:%S} left",
                                std::chrono::seconds{static_cast<std::int64_t>(seconds / share * (1 - share) + 0.5)})
                  : "";
    return fmt::format("[{:30}] {:5.1f} %  {}", std::string(static_cast<std::size_t>(bars), '='), 100 * share, left);
  }

 private:
  std::vector<std::uint64_t> units_;
  std::uint64_t total_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint64_t> finished_ = 0;
};

/// The threads at work, and the line about them twice a second.
void work_through(SurveyWork& work, Progress& progress, unsigned threads, std::ostream& out) {
  const auto start = Clock::now();
  std::mutex mutex;
  std::condition_variable ended;
  unsigned running = threads;
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < threads; ++i) {
      workers.emplace_back([&] {
        for (std::uint64_t unit = 0; progress.take(unit);) {
          work.work(unit);
          progress.finished(work.effort(unit));
        }
        const std::lock_guard lock(mutex);
        --running;
        ended.notify_all();
      });
    }
    std::unique_lock lock(mutex);
    constexpr std::chrono::milliseconds kEvery{500};
    while (!ended.wait_for(lock, kEvery, [&] { return running == 0; })) {
      out << '\r' << progress.line(Clock::now() - start) << std::flush;
    }
  }
  out << '\r' << progress.line(Clock::now() - start) << '\n';
}

void run(const SurveyCommand& command, std::ostream& out) {
  const GridMap map = load_grid_map(command.map);
  const std::string file = command.output.empty() ? survey_file_of(command.map) : command.output;
  const TraceSettings settings{.rays = command.rays, .reflections = command.reflections, .block = command.block};
  SurveyWork work(map, file, settings);
  Progress progress(work);
  const unsigned threads = command.threads > 0 ? command.threads : std::max(1U, std::thread::hardware_concurrency());
  const SurveyLayout layout(map.width, map.height, command.block);
  out << fmt::format("{}: {} x {} cells, {} x {} blocks, {:.1f} MB, {} of {} units to do on {} threads\n", file,
                     map.width, map.height, blocks_along(map.width, command.block),
                     blocks_along(map.height, command.block), static_cast<double>(layout.bytes) / 1e6, progress.left(),
                     work.units(), threads);
  const auto start = Clock::now();
  work_through(work, progress, threads, out);
  work.finish();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const double pairs = static_cast<double>(layout.cells) * static_cast<double>(layout.cells + 1) / 2;
  if (progress.left() == work.units()) {
    out << fmt::format("{:.4g} cell pairs and {} blocks in {:.1f} s: {:.3g} million pairs a second\n", pairs,
                       layout.blocks, seconds, pairs / seconds / 1e6);
  }
}

}  // namespace

int survey_command(const SurveyCommand& command, std::ostream& out, std::ostream& err) {
  try {
    const std::vector<std::string> maps = maps_of(command.map);
    if (maps.size() > 1 && !command.output.empty()) {
      throw std::runtime_error(
          fmt::format("{}: has several maps, whose surveys lie beside them; leave out --output", command.map));
    }
    for (const std::string& map : maps) {
      SurveyCommand one = command;
      one.map = map;
      run(one, out);
    }
    return 0;
  } catch (const std::runtime_error& error) {  // ConfigError too
    err << error.what() << '\n';
    return 2;
  }
}

}  // namespace hilgate
