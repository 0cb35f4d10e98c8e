// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/capture/capture_reader.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "clock/host_now.h"
#include "gateway/run/capture/capture_names.h"
#include "host/process.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kRingBytes = std::size_t{32} << 20;  // of each loop: 0.3 s of 100 000 frames a second of 200 B
constexpr auto kPause = 2ms;                               // when there is nothing to read
constexpr auto kPatience = 3s;                             // with outputs, at the end

}  // namespace

CaptureReader::CaptureReader(const Size& size, std::shared_ptr<const CaptureNames> names, CaptureCounts& counts,
                             Calls calls)
    : counts_(counts), calls_(std::move(calls)), names_(std::move(names)) {
  const std::size_t ports = names_->ports.size();
  const std::size_t robots = names_->robots.size();
  thread_ = std::jthread([this, size, ports, robots](const std::stop_token& stop) { run(stop, size, ports, robots); });
  pthread_setname_np(thread_.native_handle(), "hilgate-capture");
}

CaptureReader::~CaptureReader() {
  thread_.request_stop();
  news_.notify_all();
  thread_.join();
}

void CaptureReader::wait() {
  std::unique_lock lock(mutex_);
  news_.wait(lock, [this] { return ready_; });
}

void CaptureReader::add(std::unique_ptr<FrameSink> sink) {
  const std::scoped_lock lock(mutex_);
  new_sinks_.push_back(std::move(sink));
  ++open_;
  news_.notify_all();
}

void CaptureReader::change(std::shared_ptr<const CaptureNames> names) {
  const std::scoped_lock lock(mutex_);
  new_names_ = std::move(names);
  news_.notify_all();
}

void CaptureReader::begin() {
  const std::scoped_lock lock(mutex_);
  begun_ = true;
  news_.notify_all();
}

bool CaptureReader::idle() {
  const std::scoped_lock lock(mutex_);
  return open_ == 0;
}

void CaptureReader::run(const std::stop_token& stop, const Size& size, std::size_t ports, std::size_t robots) {
  leave_signals_to_others();
  make_rings(size, ports, robots);
  {
    const std::scoped_lock lock(mutex_);
    ready_ = true;
  }
  news_.notify_all();
  calls_.ready();
  while (!stop.stop_requested()) {
    take_news();
    mark_complete();
    const HostTime until = host_now();
    const bool busy = read_rings();
    for (const Running& running : running_) {
      running.sink->caught_up(until);
    }
    end_marked();
    flush();
    std::unique_lock lock(mutex_);
    if (!busy && !stop.stop_requested()) {
      news_.wait_for(lock, kPause);
    }
  }
  finish();
}

void CaptureReader::make_rings(const Size& size, std::size_t ports, std::size_t robots) {
  for (std::size_t loop = 0; loop < size.loops; ++loop) {
    rings_.push_back(std::make_unique<EventRing>(
        kRingBytes, ports, robots, EventRing::Numbers{.session = size.session, .first = loop + 1, .step = size.loops}));
    rings_.back()->snaplen = CaptureRequest::kWhole;
    loops_.push_back(rings_.back().get());
  }
  remembered_.resize(size.loops);
  history_ = std::make_unique<FrameHistory>();
  missed_.in.resize(ports);
  missed_.out.resize(ports);
  utc_ = utc_ahead_of_host();
}

void CaptureReader::take_news() {
  const std::scoped_lock lock(mutex_);
  if (const auto names = std::exchange(new_names_, nullptr)) {
    names_ = names;
    for (const Running& running : running_) {
      running.sink->change(names);
    }
  }
  if (!begun_) {
    return;
  }
  for (auto& sink : std::exchange(new_sinks_, {})) {
    sink->begin(names_, missed_, utc_, host_now());
    running_.push_back({.sink = std::move(sink)});
  }
  std::uint32_t snaplen = running_.empty() ? CaptureRequest::kWhole : 0;
  for (const Running& running : running_) {
    snaplen = std::max(snaplen, running.sink->snaplen());
  }
  for (EventRing* ring : loops_) {
    ring->snaplen.store(snaplen, std::memory_order_relaxed);
  }
}

// A sink that completes still receives all events up to now.
void CaptureReader::mark_complete() {
  for (Running& running : running_) {
    running.complete = running.complete || running.sink->complete();
  }
}

bool CaptureReader::read_rings() {
  count_missed();
  std::vector<std::uint64_t> ends;
  for (const EventRing* ring : loops_) {
    ends.push_back(ring->written());
  }
  // Earlier events of a frame on another core were written before: they are visible once all ring ends have been read.
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    remember(*loops_[i], remembered_[i]);
  }
  bool any = false;
  for (;;) {
    std::size_t first = loops_.size();
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      if (loops_[i]->read() != ends[i] && (first == loops_.size() || loops_[i]->at(loops_[i]->read()).at <
                                                                         loops_[first]->at(loops_[first]->read()).at)) {
        first = i;
      }
    }
    if (first == loops_.size()) {
      return any;
    }
    any = true;
    EventRing& ring = *loops_[first];
    const FrameEvent& event = ring.at(ring.read());
    const std::uint64_t next = ring.read() + event.size;
    if (event.what != FrameEvent::What::kSkip && event.what != FrameEvent::What::kFate) {
      read(event);
    }
    ring.read_to(next);
  }
}

void CaptureReader::remember(EventRing& ring, std::uint64_t& from) {
  for (const std::uint64_t end = ring.written(); from != end;) {
    const FrameEvent& event = ring.at(from);
    if (event.what == FrameEvent::What::kCaptured) {
      history_->note_arrival(event);
    } else if (event.what == FrameEvent::What::kFate) {
      history_->note_fate(event);
    }
    from += event.size;
  }
}

void CaptureReader::read(const FrameEvent& event) {
  FrameStory story{.arrival = history_->arrival(event.packet)};
  if (event.what == FrameEvent::What::kReleased || event.what == FrameEvent::What::kDropped) {
    story.fates = history_->take_fates(event.packet, event.link);
  }
  for (const Running& running : running_) {
    if (!running.ended) {
      running.sink->take(event, story, missed_);
    }
  }
  counts_.captured.fetch_add(1, std::memory_order_relaxed);
}

void CaptureReader::count_missed() {
  std::ranges::fill(missed_.in, 0);
  std::ranges::fill(missed_.out, 0);
  missed_.nobody = 0;
  for (const EventRing* ring : loops_) {
    for (std::size_t port = 0; port < missed_.in.size(); ++port) {
      missed_.in[port] += ring->missed.captured[port].get();
      missed_.out[port] += ring->missed.injected[port].get();
    }
    for (std::size_t slot = 0; slot < names_->robots.size(); ++slot) {
      missed_.out[names_->robots[slot].port.value()] += ring->missed.towards[slot].get();
    }
    missed_.nobody += ring->missed.refused.get();
  }
  std::uint64_t sum = missed_.nobody;
  for (std::size_t port = 0; port < missed_.in.size(); ++port) {
    sum += missed_.in[port] + missed_.out[port];
  }
  counts_.missed.fetch_add(sum - missed_sum_, std::memory_order_relaxed);
  missed_sum_ = sum;
}

void CaptureReader::end_marked() {
  count_missed();
  for (Running& running : running_) {
    if (running.complete && !running.ended) {
      running.ended = host_now();
      running.sink->end(missed_, *running.ended);
    }
  }
}

void CaptureReader::flush() {
  const HostTime now = host_now();
  const auto gone = std::erase_if(running_, [now](const Running& running) {
    return !running.sink->flush() || (running.ended && (!running.sink->pending() || now - *running.ended > kPatience));
  });
  const std::scoped_lock lock(mutex_);
  open_ -= gone;
  counts_.captures.store(open_, std::memory_order_relaxed);
  if (gone > 0 && open_ == 0) {
    calls_.idle();
  }
}

void CaptureReader::finish() {
  take_news();
  read_rings();
  for (Running& running : running_) {
    running.complete = true;
  }
  end_marked();
  flush();
  while (!running_.empty()) {
    std::this_thread::sleep_for(kPause);
    flush();
  }
}

}  // namespace hilgate
