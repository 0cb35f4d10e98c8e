// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hilgate {

/// Threads that wait to share work with the one that asks them to. They take the signals of the process no more than
/// other threads of its own do, and sleep between two pieces of work.
class WorkCrew {
 public:
  /// `threads` in all, that of the caller of run() included; at least 1. Throws std::system_error where a thread cannot
  /// be made.
  explicit WorkCrew(unsigned threads);
  ~WorkCrew();
  WorkCrew(const WorkCrew&) = delete;
  WorkCrew& operator=(const WorkCrew&) = delete;

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

  /// Calls work(thread) on all threads at the same time, the caller's being 0, and returns when all have ended. What
  /// one of them throws is thrown on, the first if it is several. One caller at a time.
  void run(const std::function<void(unsigned thread)>& work);

 private:
  void end();
  void wait_and_work(unsigned thread);
  void work_on(unsigned thread) noexcept;

  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  const std::function<void(unsigned)>* work_ = nullptr;  // the piece at hand
  std::uint64_t pieces_ = 0;                             // so far
  unsigned busy_ = 0;                                    // threads that have not ended it
  bool over_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace hilgate
