// SPDX-License-Identifier: Apache-2.0
// Stations whose transmissions may overlap.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "path/air/medium.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {

inline constexpr HostTime kOverlapStart{std::chrono::seconds{1}};
inline constexpr float kSense = -82;
inline constexpr double kNeeded = 8;
inline constexpr double kNoise = -94;

/// Stations of one medium, with the power of everyone at everyone.
class OverlapAir {
 public:
  struct End {
    std::uint32_t station;
    HostTime on_air_until;
    std::optional<DropReason> lost;
  };

  explicit OverlapAir(std::uint32_t stations, float carrier_sense_dbm = kSense, std::uint32_t queue = 100,
                      DutyCycle duty = {}, MediumAccess access = MediumAccess::kOverlappingDcf, ModeErrors errors = {})
      : OverlapAir(plan(stations, carrier_sense_dbm, queue, duty, access, std::move(errors))) {}
  explicit OverlapAir(const AirPlan& plan)
      : stations_(static_cast<std::uint32_t>(plan.stations.size())),
        links_(std::size_t{stations_} * stations_),
        medium_(plan, 1) {
    for (std::uint32_t from = 0; from < stations_; ++from) {
      for (std::uint32_t to = 0; to < stations_; ++to) {
        power(from, to, -60);
      }
    }
  }

  void power(std::uint32_t from, std::uint32_t to, float dbm) {
    LinkState& link = links_[std::size_t{from} * stations_ + to];
    link.rssi_dbm = dbm;
    link.snr_db = dbm - static_cast<float>(kNoise);
    medium_.set_signals({links_, {}, stations_});
  }
  void deaf(std::uint32_t a, std::uint32_t b) {
    power(a, b, -100);
    power(b, a, -100);
  }
  static AirJob job(HostTime at, std::uint32_t to, std::uint32_t tries = 1) {
    const PhyMode mode = ht_mcs7();
    return {
        .arrived = at, .air_time = mode.air_time(1514), .ack = mode.ack, .tries_left = tries, .to = to, .length = 1514};
  }
  bool send(std::uint32_t station, AirJob job) {
    job.deliveries = station;
    return medium_.enqueue(RobotSlot{station}, job);
  }
  std::vector<End> advance(HostTime now) {
    std::vector<End> ends;
    medium_.advance(now, [&](const AirResult& result) {
      ends.push_back({result.deliveries, result.on_air_until, result.lost});
      if (!result.interferers.empty()) {
        for (std::uint32_t to = 0; to < stations_; ++to) {
          heard[to] = medium_.received(result, result.deliveries, to);
        }
      }
    });
    return ends;
  }
  static AirPlan plan(std::uint32_t stations, float sense = kSense, std::uint32_t queue = 100, DutyCycle duty = {},
                      MediumAccess access = MediumAccess::kOverlappingDcf, ModeErrors errors = {}) {
    AirPlan plan;
    plan.errors = {std::move(errors)};
    plan.modes = {ht_mcs7()};
    plan.modes[0].needed_snr = Decibels{kNeeded};
    plan.domains = {AirDomain{.access = access, .carrier_sense_dbm = sense}};
    if (std::isinf(sense)) {
      plan.domains[0].access = MediumAccess::kAloha;
      plan.domains[0].slot = plan.domains[0].difs = Nanoseconds{0};
      plan.domains[0].cw_min = plan.domains[0].cw_max = 0;
    }
    plan.stations.resize(stations, Station{.domain = 0, .queue_frames = queue, .aggregation = {}, .duty = duty});
    return plan;
  }
  std::map<std::uint32_t, bool> heard;  // of the last group frame that met others
  Medium& medium() { return medium_; }

 private:
  std::uint32_t stations_;
  std::vector<LinkState> links_;
  Medium medium_;
};

}  // namespace hilgate::test
