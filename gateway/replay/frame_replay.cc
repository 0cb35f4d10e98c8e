// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/frame_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "frame/drop_reason.h"
#include "gateway/record/recorded_air.h"
#include "gateway/replay/captured_frames.h"
#include "gateway/replay/offline_capture.h"
#include "gateway/replay/offline_path.h"
#include "gateway/replay/replayed_tables.h"
#include "gateway/replay/replayed_verdicts.h"
#include "gateway/replay/table_instants.h"
#include "gateway/run/capture/capture_names.h"
#include "gateway/run/simulation/simulation.h"

namespace hilgate {
namespace {

constexpr Nanoseconds kLongest = std::chrono::hours(1);  // that a frame is on its way
constexpr int kMostPasses = 6;  // a table at another instant may move what radios that share a medium send next

HostTime path_time(CaptureTime at) {
  return HostTime{Nanoseconds{static_cast<std::int64_t>(at.nanoseconds)}};
}

// When the first and the last link table of a record were written, since 1970.
std::pair<Nanoseconds, Nanoseconds> span_of(const std::filesystem::path& record) {
  RecordedAir air(record);
  std::pair span{air.place().written, air.place().written};
  while (const auto next = air.next()) {
    span.second = next->written;
    air.advance();
  }
  return span;
}

/// All frames once through the path.
class ReplayPass {
 public:
  ReplayPass(const Configuration& configuration, const FrameReplayOptions& options, FrameReplay& replay,
             TableInstants& instants)
      : configuration_(configuration),
        options_(options),
        replay_(replay),
        instants_(instants),
        simulation_(make_simulation(configuration)),
        path_(
            configuration, simulation_.air, [this](const FrameEvent& event) { hear(event); },
            replay.before.shortened > 0 ? replay.before.snaplen : CaptureRequest::kWhole),
        names_(std::make_shared<CaptureNames>(configuration, path_.slots())) {
    replay_.again = {};
    replay_.frames = 0;
    instants_.restart();
    if (judged_by_packet(configuration)) {
      verdicts_.emplace(options.record, path_);
    } else {
      tables_.emplace(configuration, simulation_, options.record);
      path_.publish(tables_->table());
    }
  }

  void run() {
    CapturedFrames frames(configuration_, options_.capture);
    for (EnteringFrame frame; frames.next(frame);) {
      if (frames.is_foreign() && !shift_) {
        align(frame);
      }
      enter(frame);
    }
    replay_.foreign = frames.is_foreign();
    replay_.of_nobody = frames.of_nobody();
    end();
  }

 private:
  // What was captured while the run was recorded has its times; other captures begin with the record.
  void align(const EnteringFrame& first) {
    if (verdicts_) {
      throw std::runtime_error(
          fmt::format("{}: is of another program, and of this run each packet was judged, of which "
                      "there is nothing for other packets",
                      options_.capture.string()));
    }
    const Nanoseconds at = path_time(first.at).time_since_epoch();
    const auto [begin, end] = span_of(options_.record);
    replay_.moved = at < begin || at > end;
    shift_ = replay_.moved ? begin - at : Nanoseconds{0};
  }

  void enter(const EnteringFrame& frame) {
    const HostTime at = path_time(frame.at) + shift_.value_or(Nanoseconds{0});
    ++replay_.frames;
    if (!capture_ && !options_.output.empty()) {
      capture_.emplace(names_, options_.output, Nanoseconds{0}, at);
    }
    if (verdicts_) {
      verdicts_->carry_out(at.time_since_epoch());
    } else {
      take_tables(at);
    }
    id_ = frame.id;
    path_.arrive(frame.port, frame.bytes, frame.length, at);
    id_.reset();
  }

  void take_tables(HostTime until) {
    for (auto next = tables_->next(); next; next = tables_->next()) {
      const HostTime taken = instants_.taken(next->window, HostTime{next->written});
      if (taken > until) {
        break;
      }
      path_.run_until(taken);
      tables_->advance();
      path_.publish(tables_->table());
    }
  }

  void end() {
    if (verdicts_) {
      verdicts_->end();
      replay_.verdicts = verdicts_->verdicts();
    } else {
      for (auto next = tables_->next(); next && path_.next_due() != HostTime::max(); next = tables_->next()) {
        take_tables(std::max(HostTime{next->written}, instants_.taken(next->window, HostTime{next->written})));
      }
      replay_.tables = tables_->tables();
      replay_.rounded = tables_->rounded();
    }
    path_.settle(path_.now() + kLongest);
    if (capture_) {
      capture_->end(path_.now());
    }
  }

  void hear(const FrameEvent& event) {
    if (capture_) {
      capture_->take(event);
    }
    switch (event.what) {
      case FrameEvent::What::kCaptured:
        if (id_) {
          instants_.note_arrival(event.packet, *id_);
        }
        break;
      case FrameEvent::What::kFate:
        if (!event.again) {
          instants_.note_fate(event.packet, event.window, event.at);
        }
        break;
      case FrameEvent::What::kReleased:
        replay_.again.released(name_of(event.link), event.length, event.bytes());
        break;
      case FrameEvent::What::kDropped:
        replay_.again.dropped(name_of(event.link), name(event.reason));
        break;
      default:
        break;
    }
  }
  [[nodiscard]] std::string name_of(LinkSlot link) const {
    return fmt::format("{}>{}", (*names_)[names_->sender(link)].name, (*names_)[names_->receiver(link)].name);
  }

  const Configuration& configuration_;
  const FrameReplayOptions& options_;
  FrameReplay& replay_;
  TableInstants& instants_;
  Simulation simulation_;
  OfflinePath path_;
  std::shared_ptr<const CaptureNames> names_;
  std::optional<OfflineCapture> capture_;
  std::optional<ReplayedTables> tables_;
  std::optional<ReplayedVerdicts> verdicts_;
  std::optional<std::uint64_t> id_;   // of the frame that comes in
  std::optional<Nanoseconds> shift_;  // of the times of another program's capture
};

}  // namespace

FrameReplay replay_frames(const Configuration& configuration, const FrameReplayOptions& options) {
  FrameReplay replay;
  replay.before = RecordedFates::of(options.capture);
  TableInstants instants(replay.before.window_of);
  for (int pass = 0; pass < kMostPasses && (pass == 0 || instants.wrong() > 0); ++pass) {
    ReplayPass(configuration, options, replay, instants).run();
    if (judged_by_packet(configuration)) {
      return replay;  // windows decide nothing
    }
  }
  replay.elsewhere = instants.wrong();
  return replay;
}

std::vector<std::string> FrameReplay::doubts() const {
  std::vector<std::string> lines;
  if (before.cut) {
    lines.push_back(fmt::format("the capture ends within a block: {} bytes can be read", before.readable));
  }
  if (before.missing > 0) {
    lines.push_back(fmt::format("the capture could not keep up with {} packets", before.missing));
  }
  if (before.shortened > 0) {
    lines.push_back(
        fmt::format("of {} frames the capture has the first {} bytes alone", before.shortened, before.snaplen));
  }
  if (moved) {
    lines.emplace_back("the capture is not of the time of the record; its first frame comes in when the record begins");
  }
  if (of_nobody > 0) {
    lines.push_back(fmt::format("{} frames are of no robot, by MAC or IP address, and left out", of_nobody));
  }
  if (rounded > 0) {
    lines.push_back(fmt::format("{} of {} link tables are rounded, because the models of the configuration say others",
                                rounded, tables));
  }
  if (elsewhere > 0) {
    lines.push_back(fmt::format("the fates of {} frames are of another window than in the capture", elsewhere));
  }
  return lines;
}

}  // namespace hilgate
