// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/capture/capture_names.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "config/plain_text.h"
#include "config/radio_name.h"
#include "frame/headers.h"

namespace hilgate {

CaptureNames::CaptureNames(const Configuration& configuration, const RobotSlots& slots)
    : ports(slots.ports().nowhere().value() + 1), robots(slots.table().slots()) {
  for (std::uint32_t i = 0; i < configuration.ports.size(); ++i) {
    ports[slots.ports().slot_of(PortIndex{i}).value()] = configuration.ports[i].name;
  }
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    const RobotConfig& robot = configuration.robots[i];
    robots[slots.table().slot_of(RobotIndex{i}).value()] = {robot.name, slots.ports().slot_of(robot.port), robot.macs};
  }
}

OptionalIndex<RobotSlot> CaptureNames::sender(PortSlot port, std::span<const std::byte> frame) const {
  constexpr std::size_t kSource = 6;
  OptionalIndex<RobotSlot> alone;
  std::size_t there = 0;
  for (std::uint32_t slot = 0; slot < robots.size(); ++slot) {
    const Robot& robot = robots[slot];
    if (robot.name.empty() || robot.port != port) {
      continue;
    }
    if (frame.size() >= kEthernetHeader &&
        std::ranges::find(robot.macs, MacAddress::from_wire(frame.data() + kSource)) != robot.macs.end()) {
      return RobotSlot{slot};
    }
    ++there;
    alone = RobotSlot{slot};
  }
  return there == 1 ? alone : OptionalIndex<RobotSlot>{};
}

namespace {

// The radios that a name stands for.
std::vector<std::string> radios_of(const nlohmann::json& name, const CaptureNames& names) {
  const auto text = name.get<std::string>();
  std::vector<std::string> radios;
  for (const CaptureNames::Robot& robot : names.robots) {
    if (!robot.name.empty() && stands_for(text, robot.name)) {
      radios.push_back(robot.name);
    }
  }
  if (radios.empty()) {
    throw std::runtime_error(fmt::format("'{}' is no robot of this run", shown(text)));
  }
  return radios;
}

DropReason reason_of(const std::string& text) {
  const auto found = std::ranges::find(kDropReasonTable, text, &DropReasonRow::name);
  if (found == kDropReasonTable.end()) {
    throw std::runtime_error(
        fmt::format("'{}' is no drop reason; docs/reference/drop-reasons.md lists them", shown(text)));
  }
  return static_cast<DropReason>(found - kDropReasonTable.begin());
}

std::vector<bpf_insn> program_of(const nlohmann::json& list) {
  std::vector<bpf_insn> program;
  for (const auto& each : list) {
    program.push_back({.code = each.at(0).get<u_short>(),
                       .jt = each.at(1).get<u_char>(),
                       .jf = each.at(2).get<u_char>(),
                       .k = each.at(3).get<bpf_u_int32>()});
  }
  if (!program.empty() && bpf_validate(program.data(), static_cast<int>(program.size())) == 0) {
    throw std::runtime_error("the filter is no valid BPF program");
  }
  return program;
}

}  // namespace

CaptureRequest CaptureRequest::of(const nlohmann::json& request, const CaptureNames& names) {
  CaptureRequest wanted;
  wanted.snaplen = std::clamp<std::uint32_t>(request.value("snaplen", kWhole), 1, kWhole);
  wanted.count = request.value("count", std::uint64_t{0});
  for (const auto& name : request.value("robots", nlohmann::json::array())) {
    std::ranges::copy(radios_of(name, names), std::back_inserter(wanted.robots));
  }
  for (const auto& link : request.value("links", nlohmann::json::array())) {
    for (const std::string& from : radios_of(link.at(0), names)) {
      for (const std::string& to : radios_of(link.at(1), names)) {
        wanted.links.emplace_back(from, to);
      }
    }
  }
  for (const auto& reason : request.value("reasons", nlohmann::json::array())) {
    wanted.reasons.push_back(reason_of(reason.get<std::string>()));
  }
  wanted.program = program_of(request.value("program", nlohmann::json::array()));
  return wanted;
}

}  // namespace hilgate
