// SPDX-License-Identifier: Apache-2.0
// Launch time at a port of DPDK: RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP, which sends a frame at the instant in its mbuf,
// by the clock of rte_eth_read_clock(); frame/departures/launch_times.h decides which frames have one.
//
// DPDK reports no frame as sent. What it has is IEEE 1588: a driver with it timestamps a marked frame as it leaves, and
// keeps that one timestamp until it is read. So one frame at a time is marked, a sample, and awaited. Frames between
// two samples are unseen.
//
// The instant lies in the mbuf, which has room for one: frames with other owners get none.
#pragma once

#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "clock/time.h"
#include "frame/departures/port_stamps.h"
#include "frame/frame.h"

namespace hilgate {

/// What is asked of a device: ethdev, or a simulated one.
template <class D>
concept LaunchDevice = requires(D& device, std::span<rte_mbuf*> burst) {
  { device.send(burst) } -> std::same_as<std::uint16_t>;  // how many of the first it has taken
  // When the marked frame left, once; empty when it has not, and for devices without timestamps.
  { device.departure() } -> std::same_as<std::optional<LaunchTimes::DeviceTime>>;
};

/// Where mbufs have instants: rte_mbuf_dyn_tx_timestamp_register().
struct LaunchField {
  int offset = 0;
  std::uint64_t flag = 0;
};

/// Of a port whose device offers it. Packet loop; nothing allocates.
class DpdkLaunches {
 public:
  static constexpr Nanoseconds kSampleEvery{250'000};      // from one to the next; reading costs the bus some us
  static constexpr Nanoseconds kFirstPoll{20'000};         // before its launch time: a stepped clock shows
  static constexpr Nanoseconds kPollEvery{10'000};         // from then on
  static constexpr Nanoseconds kStampPatience{5'000'000};  // after its launch time: it has no timestamp

  /// `stamps`: the device has timestamps of frames that leave; otherwise it is trusted. `port` outlives this object.
  DpdkLaunches(PortStamps& port, LaunchField field, bool stamps) : book_(port, true), field_(field), stamps_(stamps) {
    if (!stamps) {
      book_.launches().trust();
    }
  }

  [[nodiscard]] Nanoseconds lead() const { return book_.launch_lead(); }
  /// Whether a frame that is due at `due` gets a launch time, and so needs memory of its own.
  [[nodiscard]] bool holds(HostTime due, HostTime now) const { return lead() > Nanoseconds{0} && due > now; }

  /// Gives the device frames that are due at `due`, each; returns how many of the first it has taken. One that is
  /// before its time and gets no launch time, because the device is not relied on any more, waits with those after it.
  template <LaunchDevice Device>
  std::uint16_t send(Device& device, std::span<rte_mbuf*> frames, std::span<const HostTime> due, HostTime now) {
    std::optional<Sample> marked;
    std::size_t ready = 0;
    for (; ready < frames.size(); ++ready) {
      rte_mbuf& mbuf = *frames[ready];
      mbuf.ol_flags = 0;  // what the receiving device noted is no request to this one
      if (due[ready] != kNoDue && book_.wants_launches() && rte_mbuf_refcnt_read(&mbuf) == 1) {
        mark(device, mbuf, {.place = ready, .due = due[ready], .given = now}, marked);
      }
      if (due[ready] > now && (mbuf.ol_flags & field_.flag) == 0) {
        break;
      }
    }
    const std::uint16_t sent = device.send(frames.first(ready));
    refused_ = sent < ready;
    if (marked && marked->place < sent) {
      sample_ = marked;
      poll_at_ = marked->launch.leaves - kFirstPoll;
      sample_from_ = now + kSampleEvery;
      book_.note_request();
      book_.launches().given(marked->launch);
    }
    return sent;
  }

  /// In each iteration.
  template <LaunchDevice Device>
  void look(Device& device, HostTime now) {
    if (sample_ && now >= poll_at_) {
      poll_at_ = now + kPollEvery;
      const auto left = device.departure();
      // One that takes no more may have it still.
      if (left || (now - sample_->launch.leaves > kStampPatience && !refused_)) {
        end_sample(left, now);
      }
    }
    book_.look(now);
  }

 private:
  struct Sample {
    std::size_t place = 0;  // in its burst
    HostTime due{};
    HostTime given{};
    LaunchTimes::Launch launch{};
  };

  template <class Device>
  void mark(Device& device, rte_mbuf& mbuf, Sample frame, std::optional<Sample>& marked) {
    const auto launch = book_.launches().for_frame(frame.due, frame.given);
    if (!launch || (launch->must_stamp && (marked || sample_))) {
      return;
    }
    *RTE_MBUF_DYNFIELD(&mbuf, field_.offset, rte_mbuf_timestamp_t*) =
        static_cast<rte_mbuf_timestamp_t>(launch->at.time_since_epoch().count());
    mbuf.ol_flags |= field_.flag;
    if (!stamps_ || marked || sample_ || (!launch->must_stamp && frame.given < sample_from_)) {
      return;
    }
    static_cast<void>(device.departure());  // of a sample that was not waited for
    mbuf.ol_flags |= RTE_MBUF_F_TX_IEEE1588_TMST;
    frame.launch = *launch;
    marked = frame;
  }

  void end_sample(std::optional<LaunchTimes::DeviceTime> left, HostTime now) {
    book_.add(sample_->due, sample_->given, left, now);
    book_.publish();
    book_.launches().completed(
        {.launch = sample_->launch.at, .due = sample_->due, .given = sample_->given, .asked = true, .left = left}, now);
    sample_.reset();
  }

  StampBook book_;
  const LaunchField field_;
  const bool stamps_;
  bool refused_ = false;  // the device did not take all of the last burst
  std::optional<Sample> sample_;
  HostTime poll_at_{};
  HostTime sample_from_ = HostTime::min();
};

}  // namespace hilgate
