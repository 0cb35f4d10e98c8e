// SPDX-License-Identifier: Apache-2.0
#include "host/work_crew.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace hilgate {

WorkCrew::WorkCrew(unsigned threads) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);  // which new threads inherit
  try {
    for (unsigned thread = 1; thread < threads; ++thread) {
      threads_.emplace_back([this, thread] { wait_and_work(thread); });
      pthread_setname_np(threads_.back().native_handle(), "hilgate-work");
    }
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    end();
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WorkCrew::~WorkCrew() {
  end();
}

void WorkCrew::end() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  begun_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void WorkCrew::run(const std::function<void(unsigned)>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    busy_ = size();
    failure_ = nullptr;
    ++pieces_;
  }
  begun_.notify_all();
  work_on(0);
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return busy_ == 0; });
  work_ = nullptr;
  if (failure_) {
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

void WorkCrew::wait_and_work(unsigned thread) {
  std::unique_lock lock(mutex_);
  for (std::uint64_t done = 0;;) {
    begun_.wait(lock, [this, done] { return over_ || pieces_ != done; });
    if (over_) {
      return;
    }
    done = pieces_;
    lock.unlock();
    work_on(thread);
    lock.lock();
  }
}

void WorkCrew::work_on(unsigned thread) noexcept {
  std::exception_ptr failure;
  try {
    (*work_)(thread);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  if (failure && !failure_) {
    failure_ = failure;
  }
  if (--busy_ == 0) {
    ended_.notify_one();
  }
}

}  // namespace hilgate
