// SPDX-License-Identifier: Apache-2.0
// Positions and flows of link-layer frames, as the programs of this folder take them on their command lines.
#ifndef HILGATE_TESTS_ORACLES_NS3_FLOWS_H
#define HILGATE_TESTS_ORACLES_NS3_FLOWS_H

#include <ns3/core-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// Parts of `text` between separators.
inline std::vector<std::string> parts(const std::string& text, char separator) {
  std::vector<std::string> found;
  std::stringstream stream(text);
  for (std::string one; std::getline(stream, one, separator);) {
    found.push_back(one);
  }
  return found;
}

/// Nodes that stay where `text` has them: "x,y,z;x,y,z", in m.
inline ns3::NodeContainer nodes_at(const std::string& text) {
  auto positions = ns3::CreateObject<ns3::ListPositionAllocator>();
  for (const auto& place : parts(text, ';')) {
    const auto axes = parts(place, ',');
    positions->Add(ns3::Vector(std::stod(axes.at(0)), std::stod(axes.at(1)), std::stod(axes.at(2))));
  }
  ns3::NodeContainer nodes;
  nodes.Create(positions->GetSize());
  ns3::MobilityHelper mobility;
  mobility.SetPositionAllocator(positions);
  mobility.Install(nodes);
  return nodes;
}

/// Flows of frames between nodes: those that were sent and received between two instants, and their delays.
class Flows {
 public:
  /// "source-to:interval:bytes[:start[:priority]],...": s, bytes from the IP header on, priority of IEEE 802.1D;
  /// `to` is a node, or * for all. Counts what is sent within [from_s, until_s).
  Flows(const std::string& text, double from_s, double until_s) : from_s_(from_s), until_s_(until_s) {
    for (const auto& one : parts(text, ',')) {
      const auto fields = parts(one, ':');
      const auto ends = parts(fields.at(0), '-');
      flows_.push_back({fields.at(0), static_cast<std::uint32_t>(std::stoul(ends.at(0))), ends.at(1),
                        std::stod(fields.at(1)), static_cast<std::uint32_t>(std::stoul(fields.at(2))),
                        fields.size() > 3 ? std::stod(fields[3]) : 0,
                        static_cast<std::uint8_t>(fields.size() > 4 ? std::stoul(fields[4]) : 0)});
    }
  }

  /// Sends frames of each flow, and counts what its receivers have, over packet sockets of the devices.
  void install(const ns3::NetDeviceContainer& devices) {
    for (std::uint32_t i = 0; i < devices.GetN(); ++i) {
      devices.Get(i)->GetNode()->AggregateObject(ns3::CreateObject<ns3::PacketSocketFactory>());
    }
    for (std::uint32_t i = 0; i < flows_.size(); ++i) {
      Flow& flow = flows_[i];
      const auto source = devices.Get(flow.source);
      const bool all = flow.to == "*";
      const auto to = all ? source->GetBroadcast() : devices.Get(std::stoul(flow.to))->GetAddress();
      for (std::uint32_t node = 0; node < devices.GetN(); ++node) {
        if (node != flow.source && (all || node == std::stoul(flow.to))) {
          bind(devices.Get(node), address(devices.Get(node), to, kProtocol + i))
              ->SetRecvCallback([this, &flow, node](ns3::Ptr<ns3::Socket> socket) {
                while (auto packet = socket->Recv()) {
                  received(flow, node, *packet);
                }
              });
          flow.receivers[node] = {};
        }
      }
      auto socket = bind(source, address(source, to, kProtocol + i));
      socket->Connect(address(source, to, kProtocol + i));
      socket->SetPriority(flow.priority);
      flow.send = [this, &flow, socket] { socket->Send(next(flow)); };
      start(flow);
    }
  }

  /// Sends frames of each flow by `send`(source, to, frame): where devices have no packet sockets.
  void start(const std::function<void(std::uint32_t, std::uint32_t, const ns3::Ptr<ns3::Packet>&)>& send) {
    for (Flow& flow : flows_) {
      const auto to = static_cast<std::uint32_t>(std::stoul(flow.to));
      flow.receivers[to] = {};
      flow.send = [this, &flow, to, send] { send(flow.source, to, next(flow)); };
      start(flow);
    }
  }

  /// Counts a frame of the flow `name` that node `node` has.
  void received(const std::string& name, std::uint32_t node, const ns3::Packet& packet) {
    for (Flow& flow : flows_) {
      if (flow.name == name) {
        received(flow, node, packet);
      }
    }
  }

  /// Per flow and receiver: frames/s and Mbit/s of UDP payload that arrive in the time, the share of the frames sent in
  /// it that never arrives, and the mean delay of the others in ms.
  void print() const {
    for (const Flow& flow : flows_) {
      for (const auto& [node, got] : flow.receivers) {
        const double rate = got.in_time / (until_s_ - from_s_);
        std::cout << flow.source << '-' << node << ' ' << rate << ' ' << rate * 8 * (flow.bytes - kUdpBytes) / 1e6
                  << ' ' << 1 - static_cast<double>(got.of_time) / std::max(flow.sent, std::uint64_t{1}) << ' '
                  << got.delay_s / std::max(got.of_time, std::uint64_t{1}) * 1e3 << '\n';
      }
    }
  }

 private:
  struct Received {
    std::uint64_t in_time = 0;  ///< that arrived in the time
    std::uint64_t of_time = 0;  ///< that were sent in it
    double delay_s = 0;         ///< of the latter, together
  };
  struct Flow {
    std::string name;
    std::uint32_t source = 0;
    std::string to;
    double interval_s = 0;
    std::uint32_t bytes = 0;
    double start_s = 0;
    std::uint8_t priority = 0;
    std::uint64_t sent = 0;  ///< in the time that is counted
    std::function<void()> send = {};
    std::map<std::uint32_t, Received> receivers = {};
  };
  static constexpr std::uint16_t kProtocol = 0x9000;
  static constexpr std::uint32_t kUdpBytes = 28;

  static ns3::PacketSocketAddress address(const ns3::Ptr<ns3::NetDevice>& device, const ns3::Address& to,
                                          std::uint32_t protocol) {
    ns3::PacketSocketAddress address;
    address.SetSingleDevice(device->GetIfIndex());
    address.SetPhysicalAddress(to);
    address.SetProtocol(protocol);
    return address;
  }
  ns3::Ptr<ns3::Socket> bind(const ns3::Ptr<ns3::NetDevice>& device, const ns3::PacketSocketAddress& address) {
    sockets_.push_back(ns3::Socket::CreateSocket(device->GetNode(), ns3::PacketSocketFactory::GetTypeId()));
    sockets_.back()->Bind(address);
    return sockets_.back();
  }

  [[nodiscard]] bool counts(double at_s) const { return from_s_ <= at_s && at_s < until_s_; }

  void start(Flow& flow) { ns3::Simulator::Schedule(ns3::Seconds(flow.start_s), &Flows::tick, this, &flow); }
  void tick(Flow* flow) {
    if (ns3::Simulator::Now().GetSeconds() < until_s_) {
      flow->send();
      ns3::Simulator::Schedule(ns3::Seconds(flow->interval_s), &Flows::tick, this, flow);
    }
  }

  /// A frame of the flow, which carries its instant.
  ns3::Ptr<ns3::Packet> next(Flow& flow) const {
    const double now_s = ns3::Simulator::Now().GetSeconds();
    flow.sent += counts(now_s) ? 1 : 0;
    std::vector<std::uint8_t> bytes(flow.bytes);
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&now_s), sizeof(now_s), bytes.begin());
    return ns3::Create<ns3::Packet>(bytes.data(), flow.bytes);
  }
  void received(Flow& flow, std::uint32_t node, const ns3::Packet& packet) const {
    const double now_s = ns3::Simulator::Now().GetSeconds();
    double sent_s = 0;
    packet.CopyData(reinterpret_cast<std::uint8_t*>(&sent_s), sizeof(sent_s));
    Received& got = flow.receivers.at(node);
    got.in_time += counts(now_s) ? 1 : 0;
    if (counts(sent_s)) {
      ++got.of_time;
      got.delay_s += now_s - sent_s;
    }
  }

  double from_s_;
  double until_s_;
  std::vector<Flow> flows_;
  std::vector<ns3::Ptr<ns3::Socket>> sockets_ = {};
};

#endif
