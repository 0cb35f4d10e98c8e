// SPDX-License-Identifier: Apache-2.0
// What a port with launch time promises whatever its driver, with the devices of launch_path.h. `Path` is a LaunchPath
// that is new; `margin` how far the median departure may be from when it is due.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "clock/time.h"
#include "frame/departures/launch_times.h"
#include "tests/support/launch_path.h"

namespace hilgate::test {

template <class Path>
void expect_exact_departures(Path& path, Nanoseconds margin) {
  path.pass(kUntilUsed);
  EXPECT_TRUE(path.report().used);
  EXPECT_EQ(path.look().early, 0U);
  path.run(std::chrono::seconds(2), 1);
  const auto seen = path.look();
  EXPECT_EQ(seen.early, 0U);
  EXPECT_GT(seen.launched, seen.count * 99 / 100) << "of links with delays longer than the lead";
  EXPECT_LT(quantile_of(seen.errors, 0.5), margin) << "the margin of the clocks";
  EXPECT_TRUE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kNone);
  EXPECT_EQ(path.report().early, 0U);
}

template <class Path>
void expect_a_slow_device_gets_frames_earlier(Path& path, Nanoseconds margin) {
  constexpr Nanoseconds kSlow{250'000};
  path.pass(kUntilUsed);
  path.device().fetch = kSlow;
  path.run(std::chrono::seconds(3), 1);
  EXPECT_GT(path.report().late, 0U);
  EXPECT_GT(path.report().lead, kSlow);
  EXPECT_LE(path.report().lead, LaunchTimes::kMostLead);
  path.look();
  path.run(std::chrono::seconds(3), 1);
  const auto seen = path.look();
  EXPECT_EQ(seen.early, 0U);
  EXPECT_LT(quantile_of(seen.errors, 0.5), margin);
  path.device().fetch = Nanoseconds{10'000};
  const Nanoseconds before = path.report().lead;
  path.pass(std::chrono::seconds(10));
  EXPECT_LT(path.report().lead, before) << "it comes back slowly";
}

template <class Path>
void expect_a_full_ring_drops(Path& path) {
  path.pass(kUntilUsed);
  for (int i = 0; i < 1000; ++i) {
    path.send(1);
  }
  path.run(std::chrono::milliseconds(100), 1);
  EXPECT_GT(path.dropped(DropReason::kTxFull), 0U);
  EXPECT_EQ(path.look().early, 0U);
  EXPECT_TRUE(path.report().used);
}

template <class Path>
void expect_an_ignoring_device_is_found(Path& path) {
  path.device().keeps_launch_times = false;
  path.pass(std::chrono::seconds(15));
  const auto seen = path.look();
  EXPECT_EQ(seen.early, 0U);
  EXPECT_LE(seen.launched, 4U) << "a trial ends with the first frame, and the pauses grow";
  EXPECT_EQ(path.report().problem, LaunchProblem::kEarly);
  EXPECT_FALSE(path.report().used);
}

template <class Path>
void expect_an_early_device_is_found(Path& path) {
  path.pass(kUntilUsed);
  EXPECT_EQ(path.look().early, 0U);
  path.device().keeps_launch_times = false;
  path.run(std::chrono::milliseconds(50));
  const auto seen = path.look();
  EXPECT_GT(seen.early, 0U);
  EXPECT_LT(seen.early, 64U) << "until the next timestamp";
  EXPECT_LE(seen.earliest, LaunchTimes::kMostLead);
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kEarly);
  EXPECT_GT(path.report().early, 0U);
  path.run(std::chrono::milliseconds(200));
  EXPECT_EQ(path.look().early, 0U) << "the loop keeps the instants";
  path.device().keeps_launch_times = true;
  path.pass(std::chrono::seconds(10));
  EXPECT_TRUE(path.report().used) << "after a pause it is tried again";
  EXPECT_EQ(path.look().early, 0U);
}

template <class Path>
void expect_no_reliance_without_timestamps(Path& path) {
  path.device().stamps = false;
  path.pass(kUntilUsed);
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kMissing);
  EXPECT_EQ(path.look().early, 0U);
}

template <class Path>
void expect_resets_lose_no_more(Path& path) {
  path.pass(kUntilUsed);
  path.look();
  for (int reset = 0; reset < 20; ++reset) {
    path.run(std::chrono::milliseconds(10), 1);
    EXPECT_EQ(path.look().early, 0U);
    path.device().advance(path.clock.at());
    path.look();
    path.device().reset();
    path.expect_next_at(path.to().given());
  }
  path.run(std::chrono::seconds(1), 1);
  EXPECT_EQ(path.look().early, 0U);
  EXPECT_TRUE(path.report().used) << "its clock goes on";
}

template <class Path>
void expect_a_step_is_found(Path& path, Nanoseconds step) {
  path.pass(kUntilUsed + std::chrono::milliseconds(50));
  EXPECT_EQ(path.look().early, 0U);
  path.device().clock.step(step);
  path.run(std::chrono::milliseconds(110));
  const auto seen = path.look();
  EXPECT_LT(seen.early, 64U);
  EXPECT_LE(seen.earliest, LaunchTimes::kMostLead);
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kClock);
  path.run(std::chrono::milliseconds(300));
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.look().early, 0U);
  path.pass(std::chrono::seconds(3));
  EXPECT_TRUE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kNone);
  EXPECT_EQ(path.look().early, 0U);
}

}  // namespace hilgate::test
