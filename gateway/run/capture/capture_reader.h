// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "gateway/run/capture/frame_history.h"
#include "path/observer/event_ring.h"

namespace hilgate {

/// What is counted of captures; any thread.
struct CaptureCounts {
  std::atomic<std::uint64_t> captured{0};  // events read
  std::atomic<std::uint64_t> missed{0};    // events that found a ring full
  std::atomic<std::size_t> captures{0};    // running
};

/// The thread that reads the frame events of the packet loops and passes them to all frame sinks.
class CaptureReader {
 public:
  struct Size {
    std::size_t loops = 1;
    std::uint16_t session = 1;  // new each time
  };
  /// Called on the thread.
  struct Calls {
    std::function<void()> ready;  // rings() are there
    std::function<void()> idle;   // the last capture has ended
  };

  CaptureReader(const Size& size, std::shared_ptr<const CaptureNames> names, CaptureCounts& counts, Calls calls);
  /// Reads what is in the rings, ends all captures and waits for their outputs, some seconds at most.
  ~CaptureReader();
  CaptureReader(const CaptureReader&) = delete;
  CaptureReader& operator=(const CaptureReader&) = delete;

  /// Until ready().
  void wait();
  void add(std::unique_ptr<FrameSink> sink);
  void change(std::shared_ptr<const CaptureNames> names);
  /// One for each loop, once ready().
  [[nodiscard]] const std::vector<EventRing*>& rings() const { return loops_; }
  /// The loops write into the rings: captures begin.
  void begin();
  /// No capture is running or waiting to begin.
  [[nodiscard]] bool idle();

 private:
  void run(const std::stop_token& stop, const Size& size, std::size_t ports, std::size_t robots);
  void make_rings(const Size& size, std::size_t ports, std::size_t robots);
  void take_news();
  void mark_complete();
  bool read_rings();
  void remember(EventRing& ring, std::uint64_t& from);
  void read(const FrameEvent& event);
  void count_missed();
  void end_marked();
  void flush();
  void finish();

  struct Running {
    std::unique_ptr<FrameSink> sink;
    bool complete = false;            // it ends with what is in the rings now
    std::optional<HostTime> ended{};  // it has its end, which may wait for its reader
  };

  CaptureCounts& counts_;
  Calls calls_;
  std::vector<std::unique_ptr<EventRing>> rings_;
  std::vector<EventRing*> loops_;
  std::vector<std::uint64_t> remembered_;  // by ring: position
  std::vector<Running> running_;
  std::shared_ptr<const CaptureNames> names_;  // the thread's
  std::unique_ptr<FrameHistory> history_;
  MissedFrames missed_;
  std::uint64_t missed_sum_ = 0;
  Nanoseconds utc_{0};

  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<std::unique_ptr<FrameSink>> new_sinks_;  // by the mutex, as what follows
  std::shared_ptr<const CaptureNames> new_names_;
  bool ready_ = false;
  bool begun_ = false;
  std::size_t open_ = 0;  // sinks, new ones too
  std::jthread thread_;   // last: it uses the rest
};

}  // namespace hilgate
