// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/cot_output.h"

#include <fmt/format.h>

#include <chrono>
#include <span>

#include "clock/host_now.h"
#include "config/plain_text.h"
#include "gateway/configuration/bodies.h"
#include "physics_link/tracklog/log_time.h"

namespace hilgate {

CotOutput::CotOutput(asio::io_context& context, const Configuration& configuration, const Windows& windows)
    : configuration_(configuration),
      windows_(windows),
      timer_(context),
      sender_(context, "Cursor on Target", "cot.to") {}

void CotOutput::start() {
  sender_.open(configuration_.cot->to, configuration_.cot->port);
  send_after(Nanoseconds{0});
}

void CotOutput::send_after(Nanoseconds pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      send_all();
      send_after(configuration_.cot->every);
    }
  });
}

void CotOutput::send_all() {
  const Scene* const scene = windows_.scene();
  const CotConfig& cot = *configuration_.cot;
  const Bodies bodies(configuration_.robots);
  const Nanoseconds utc = host_now().time_since_epoch() + utc_ahead_of_host();
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    const RobotIndex robot = bodies.first_radio(body);
    if (configuration_.ports[configuration_.robots[robot.value()].port.value()].driver == PortDriver::kElsewhere) {
      continue;
    }
    if (scene == nullptr || robot.value() >= scene->robots.size() || !scene->robots[robot.value()].placed) {
      ++unplaced_;
      continue;
    }
    const mavlink::Geodetic place =
        mavlink::geodetic_of(scene->robots[robot.value()].position, *configuration_.world.scene.origin);
    const std::string event = cot_event({.robot = cot.robots[body],
                                         .utc = utc,
                                         .stale = cot.stale,
                                         .place = place,
                                         .motion = motions_[bodies.names()[body]].take(scene->at, place)});
    sender_.send(std::as_bytes(std::span(event)));
  }
}

CotStatus CotOutput::status() const {
  return {.to = sender_.to(),
          .sent = sender_.sent(),
          .refused = sender_.refused(),
          .unplaced = unplaced_,
          .fault = sender_.fault()};
}

namespace {

std::string cot_time(Nanoseconds utc) {
  return utc_text(std::chrono::round<std::chrono::milliseconds>(utc));
}

}  // namespace

std::string cot_event(const CotEvent& event) {
  std::string track;
  if (event.motion) {
    // The course of a robot that stands is not known, and the attribute is required.
    track = fmt::format(R"(<track course="{:.2f}" speed="{:.3f}"/>)",
                        rounded_course(event.motion->course_deg.value_or(0)), event.motion->speed_m_s);
  }
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8" standalone="yes"?>)"
                     R"(<event version="2.0" uid="{}" type="{}" how="m-s" time="{}" start="{}" stale="{}">)"
                     R"(<point lat="{:.7f}" lon="{:.7f}" hae="{:.2f}" ce="0.0" le="9999999.0"/>)"
                     R"(<detail><contact callsign="{}"/>{}</detail></event>)",
                     escaped(event.robot.uid), event.robot.type, cot_time(event.utc), cot_time(event.utc),
                     cot_time(event.utc + event.stale), event.place.lat_deg, event.place.lon_deg, event.place.alt_m,
                     escaped(event.robot.callsign), track);
}

}  // namespace hilgate
