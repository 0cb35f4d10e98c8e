// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/frame_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "gateway/configuration/configuration.h"
#include "gateway/record/record_reader.h"
#include "gateway/record/run_layout.h"
#include "gateway/record/verdict_codec.h"
#include "gateway/replay/captured_frames.h"
#include "gateway/replay/offline_path.h"
#include "gateway/replay/replayed_tables.h"
#include "gateway/run/capture/capture_names.h"
#include "gateway/run/simulation/parked_packets.h"
#include "gateway/run/simulation/simulation.h"
#include "netsim_link/verdict.h"

namespace hilgate {
namespace {

/// The verdicts of a recorded run, carried out again in the order of their release times, as in lockstep.
class ReplayedVerdicts {
 public:
  /// `path` must outlive it. Throws as read_record().
  ReplayedVerdicts(const std::filesystem::path& record, OfflinePath& path);

  /// Those that were passed until `at`, since 1970. Throws std::runtime_error for an invalid message.
  void carry_out(Nanoseconds at);
  /// Those that are left, and no others come.
  void end();
  [[nodiscard]] std::uint64_t verdicts() const { return verdicts_; }

 private:
  void take(const RecordStream::Message& message);
  void carry_out(const Verdict& verdict);
  void release_before(SimTime at);
  void forget_before(std::uint64_t packet);

  OfflinePath& path_;
  RecordStream messages_;
  std::multimap<SimTime, Verdict> waiting_;  // for their release
  std::uint64_t verdicts_ = 0;
  std::uint64_t newest_ = 0;     // packet
  std::uint64_t forgotten_ = 0;  // packets in front of this one
};

// A record does not say which packets get no further verdict. Room for those of several windows.
constexpr std::uint64_t kRemembered = 8192;

ReplayedVerdicts::ReplayedVerdicts(const std::filesystem::path& record, OfflinePath& path)
    : path_(path), messages_(record, {kVerdictsTopic}) {}

void ReplayedVerdicts::carry_out(Nanoseconds at) {
  for (const auto* message = messages_.next(); message != nullptr && message->at <= at; message = messages_.next()) {
    take(*message);
    messages_.pop();
  }
}

// A message has the verdicts of one step of the network simulator: what was to be released before has been.
void ReplayedVerdicts::take(const RecordStream::Message& message) {
  const std::vector<Verdict> verdicts = decode_verdicts(message.data);
  SimTime first = SimTime::max();
  for (const Verdict& verdict : verdicts) {
    if (verdict.drop == AirDrop::kNone && !verdict.at_once) {
      first = std::min(first, verdict.release_at);
    }
  }
  if (first != SimTime::max()) {
    release_before(first);
  }
  for (const Verdict& verdict : verdicts) {
    ++verdicts_;
    newest_ = std::max(newest_, verdict.packet);
    if (verdict.drop == AirDrop::kNone && !verdict.at_once) {
      waiting_.emplace(verdict.release_at, verdict);
    } else {
      carry_out(verdict);
    }
  }
  forget_before(newest_ > kRemembered ? newest_ - kRemembered : 0);
}

void ReplayedVerdicts::release_before(SimTime at) {
  while (!waiting_.empty() && waiting_.begin()->first < at) {
    carry_out(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
  }
}

void ReplayedVerdicts::carry_out(const Verdict& verdict) {
  const TableRobots& robots = path_.slots().table();
  if (!robots.has(verdict.receiver)) {
    return;
  }
  ParkedOrder order{.packet = verdict.packet, .due = VerdictRings::kNow, .to = robots.slot_of(verdict.receiver)};
  if (verdict.drop == AirDrop::kNone) {
    order.what = ParkedOrder::What::kDeliver;
    order.ber = verdict.ber;
  } else {
    order.what = ParkedOrder::What::kDrop;
    order.reason = reason_of(verdict.drop);
  }
  path_.order(order);
}

void ReplayedVerdicts::forget_before(std::uint64_t packet) {
  for (; forgotten_ < packet; ++forgotten_) {
    path_.order({.packet = forgotten_, .what = ParkedOrder::What::kForget, .reason = DropReason::kVerdictDrop});
  }
}

void ReplayedVerdicts::end() {
  carry_out(Nanoseconds::max());
  release_before(SimTime::max());
  forget_before(newest_ + 1);
}

/// When a packet loop took up the link table of each window: a moment after it was written, and so that the fate of
/// each frame was drawn in the window that the capture has. Learns that from replays in which it was another one.
class TableInstants {
 public:
  /// `window_of`: by frame.packet_id; must outlive it.
  explicit TableInstants(const std::unordered_map<std::uint64_t, std::uint64_t>& window_of) : window_of_(window_of) {}

  /// Another replay begins.
  void restart() {
    ids_.clear();
    wrong_ = 0;
  }
  /// `packet`, as the replay calls it, is this one of the capture.
  void note_arrival(std::uint64_t packet, std::uint64_t id) { ids_[packet] = id; }
  /// Its fate was drawn now in the replay. Of a frame with several fates the first counts.
  void note_fate(std::uint64_t packet, std::uint64_t window, HostTime at) {
    const auto id = ids_.find(packet);
    const auto known = id == ids_.end() ? window_of_.end() : window_of_.find(id->second);
    if (known == window_of_.end()) {
      return;
    }
    ids_.erase(id);
    const std::uint64_t recorded = known->second;
    wrong_ += window == recorded ? 0 : 1;
    if (window < recorded) {
      note_latest(recorded, at);
    } else if (window > recorded) {
      note_earliest(recorded + 1, at + Nanoseconds{1});
    }
  }
  /// Tables are taken up in their order.
  [[nodiscard]] HostTime taken(std::uint64_t window, HostTime written) const {
    const auto above = earliest_.upper_bound(window);
    const HostTime earliest = above == earliest_.begin() ? HostTime::min() : std::prev(above)->second;
    const auto behind = latest_.lower_bound(window);
    return std::min(std::max(written, earliest), behind == latest_.end() ? HostTime::max() : behind->second);
  }
  /// Frames whose fates were drawn in other windows, since restart().
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  // Of windows from this one on. The instants rise with the windows.
  void note_earliest(std::uint64_t window, HostTime at) {
    const auto above = earliest_.upper_bound(window);
    if (above == earliest_.begin() || std::prev(above)->second < at) {
      auto kept = earliest_.insert_or_assign(window, at).first;
      for (++kept; kept != earliest_.end() && kept->second <= at;) {
        kept = earliest_.erase(kept);
      }
    }
  }
  // Of windows up to this one. Likewise.
  void note_latest(std::uint64_t window, HostTime at) {
    const auto behind = latest_.lower_bound(window);
    if (behind == latest_.end() || behind->second > at) {
      auto kept = latest_.insert_or_assign(window, at).first;
      while (kept != latest_.begin() && std::prev(kept)->second >= at) {
        latest_.erase(std::prev(kept));
      }
    }
  }

  const std::unordered_map<std::uint64_t, std::uint64_t>& window_of_;
  std::unordered_map<std::uint64_t, std::uint64_t> ids_;  // by packet of the replay: without a fate
  std::map<std::uint64_t, HostTime> earliest_, latest_;   // by window
  std::uint64_t wrong_ = 0;
};

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
    replay_.earlier = frames.earlier();
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
  if (earlier > 0) {
    lines.push_back(earlier_text(earlier));
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
