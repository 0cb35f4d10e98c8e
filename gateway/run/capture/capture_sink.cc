// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/capture/capture_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hilgate {
namespace {

using What = FrameEvent::What;
constexpr const char* kNobody = "nobody";

bool is_drop(const FrameEvent& event) {
  return event.what == What::kDropped || event.what == What::kRefused || (event.what == What::kInjected && event.lost);
}

}  // namespace

CaptureSink::CaptureSink(CaptureRequest request, std::unique_ptr<CaptureOutput> output)
    : request_(std::move(request)), output_(std::move(output)) {
  if (request_.count == 0) {
    request_.count = ~std::uint64_t{0};
  }
}

void CaptureSink::begin(std::shared_ptr<const CaptureNames> names, const MissedFrames& missed, Nanoseconds utc,
                        HostTime now) {
  utc_ = utc;
  began_ = now;
  block_.clear();
  append_section(block_, "hilgate capture", "hilgate",
                 "Comments: FROM>TO and words KEY=VALUE; drop= is the reason why a frame was not delivered");
  change(std::move(names));
  for (std::uint32_t port = 0; port < names_->ports.size(); ++port) {
    if (!names_->ports[port].empty()) {
      interface_of({Direction::kIn, PortSlot{port}}, missed);
      interface_of({Direction::kOut, PortSlot{port}}, missed);
    }
  }
  interface_of({Direction::kNobody, {}}, missed);
  output_->take_always(block_);
}

void CaptureSink::change(std::shared_ptr<const CaptureNames> names) {
  names_ = std::move(names);
  in_.assign(names_->ports.size(), std::nullopt);
  out_.assign(names_->ports.size(), std::nullopt);
}

void CaptureSink::take(const FrameEvent& event, const FrameStory& story, const MissedFrames& missed) {
  if (written_ == request_.count) {
    return;
  }
  block_.clear();
  const Place place = place_of(event);
  const std::uint32_t number = interface_of(place, missed);
  Interface& interface = interfaces_[number];
  interface.missed = missed_at(place, missed) - interface.before;
  ++interface.received;
  if (!block_.empty()) {
    output_->take_always(block_);  // of a new interface
    block_.clear();
  }
  if (!wants(event, story)) {
    return;
  }
  ++interface.accepted;
  const std::string comment = frame_text(event, story, *names_);
  const std::uint64_t lost = interface.lost + interface.missed;
  append_packet(block_, {.interface = number,
                         .at = time(event.at),
                         .length = event.length,
                         .bytes = event.bytes().first(std::min(event.kept, request_.snaplen)),
                         .outbound = place.direction == Direction::kOut,
                         .dropped = lost - interface.told,
                         .id = event.packet != 0 ? std::optional(event.packet) : std::nullopt,
                         .comment = comment});
  if (output_->take(block_)) {
    ++interface.delivered;
    ++written_;
    interface.told = lost;
  } else {
    ++interface.lost;
  }
}

void CaptureSink::end(const MissedFrames& missed, HostTime now) {
  for (std::uint32_t number = 0; number < interfaces_.size(); ++number) {
    Interface& interface = interfaces_[number];
    const std::uint64_t gone = missed_at(places_[number], missed) - interface.before;
    block_.clear();
    append_statistics(block_, {.interface = number,
                               .begin = time(began_),
                               .end = time(now),
                               .received = interface.received + gone,
                               .accepted = interface.accepted,
                               .dropped = interface.lost + gone,
                               .delivered = interface.delivered});
    output_->take_always(block_);
  }
}

CaptureSink::Place CaptureSink::place_of(const FrameEvent& event) const {
  switch (event.what) {
    case What::kCaptured:
      return {Direction::kIn, event.port};
    case What::kInjected:
      return {Direction::kOut, event.port};
    case What::kReleased:
    case What::kDropped:
      return {Direction::kOut, (*names_)[names_->receiver(event.link)].port};
    default:
      return {Direction::kNobody, {}};
  }
}

bool CaptureSink::wants(const FrameEvent& event, const FrameStory& story) const {
  if (!request_.reasons.empty() &&
      (!is_drop(event) || std::ranges::find(request_.reasons, event.reason) == request_.reasons.end())) {
    return false;
  }
  return ((request_.robots.empty() && request_.links.empty()) || wants_robots(event, story)) && passes_program(event);
}

bool CaptureSink::wants_robots(const FrameEvent& event, const FrameStory& story) const {
  switch (event.what) {
    case What::kCaptured:
      return wants_sender(event.port, event);
    case What::kRefused:
      return request_.links.empty() && story.arrival != nullptr && wants_sender(story.arrival->port, event);
    case What::kInjected:
      return request_.links.empty() && std::ranges::any_of(names_->robots, [&](const CaptureNames::Robot& robot) {
               return robot.port == event.port &&
                      std::ranges::find(request_.robots, robot.name) != request_.robots.end();
             });
    default:
      break;
  }
  const std::string& from = (*names_)[names_->sender(event.link)].name;
  const std::string& to = (*names_)[names_->receiver(event.link)].name;
  const bool by_robot = request_.robots.empty() || std::ranges::any_of(request_.robots, [&](const std::string& robot) {
                          return robot == from || robot == to;
                        });
  const bool by_link = request_.links.empty() || std::ranges::any_of(request_.links, [&](const auto& link) {
                         return link == std::pair(from, to);
                       });
  return by_robot && by_link;
}

bool CaptureSink::wants_sender(PortSlot port, const FrameEvent& event) const {
  const OptionalIndex<RobotSlot> sender = names_->sender(port, event.bytes());
  if (!sender) {
    return false;
  }
  const std::string& from = (*names_)[sender.value()].name;
  const bool by_robot = request_.robots.empty() || std::ranges::find(request_.robots, from) != request_.robots.end();
  const bool by_link = request_.links.empty() ||
                       std::ranges::any_of(request_.links, [&](const auto& link) { return link.first == from; });
  return by_robot && by_link;
}

bool CaptureSink::passes_program(const FrameEvent& event) const {
  if (request_.program.empty()) {
    return true;
  }
  const auto* const bytes = reinterpret_cast<const u_char*>(event.bytes().data());
  return bpf_filter(request_.program.data(), bytes, event.length, event.kept) != 0;
}

std::uint64_t CaptureSink::missed_at(const Place& place, const MissedFrames& missed) {
  switch (place.direction) {
    case Direction::kIn:
      return missed.in[place.port.value()];
    case Direction::kOut:
      return missed.out[place.port.value()];
    case Direction::kNobody:
      break;
  }
  return missed.nobody;
}

std::uint32_t CaptureSink::interface_of(const Place& place, const MissedFrames& missed) {
  const bool nobody = place.direction == Direction::kNobody;
  const bool in = place.direction == Direction::kIn;
  if (!nobody) {
    if (const auto& known = (in ? in_ : out_)[place.port.value()]) {
      return *known;
    }
  }
  const std::string& port = nobody ? kNobody : names_->ports[place.port.value()];
  const std::string called =
      nobody ? kNobody : fmt::format("{} {}", port.empty() ? "removed" : port, in ? "in" : "out");
  const auto [found, is_new] = by_name_.try_emplace(called, static_cast<std::uint32_t>(interfaces_.size()));
  if (is_new) {
    append_interface(block_, {.name = called,
                              .description = nobody ? "frames without a sender or a receiver"
                                             : in   ? "before the air"
                                                    : "behind the air: released, or dropped on the way here",
                              .snaplen = request_.snaplen});
    interfaces_.push_back({.before = missed_at(place, missed)});
    places_.push_back(place);
  }
  if (!nobody) {
    (in ? in_ : out_)[place.port.value()] = found->second;
  }
  return found->second;
}

CaptureTime CaptureSink::time(HostTime at) const {
  return {static_cast<std::uint64_t>((at.time_since_epoch() + utc_).count())};
}

}  // namespace hilgate
