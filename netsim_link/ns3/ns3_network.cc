// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/ns3_network.h"

#include <fmt/format.h>
#include <ns3/constant-position-mobility-model.h>
#include <ns3/rng-seed-manager.h>

#include <algorithm>

#include "netsim_link/ns3/network.h"
#include "netsim_link/ns3/parts.h"

namespace hilgate::ns3net {

void Ns3Network::open(Listener listener) {
  listener_ = std::move(listener);
  listener_.ready();
}

void Ns3Network::begin(const NetworkQuestion& question) {
  answer_.verdicts.clear();
  answer_.forget.clear();
  if (question.step.from < world_.now() && question.step.end() < world_.now()) {
    return listener_.failed(fmt::format(
        "the gateway requests {} ns, but ns-3 has already simulated {} ns; restart hilgate-ns3 for each run",
        question.step.from.time_since_epoch().count(), world_.now().time_since_epoch().count()));
  }
  if (question.fresh && question.scene != nullptr) {
    if (question.scene->robots.size() != robots_) {
      return listener_.failed(
          fmt::format("the gateway has {} robots, the scenario {}; list the gateway's robots in its order",
                      question.scene->robots.size(), robots_));
    }
    world_.use(*question.scene);
  }
  for (const CapturedPacket& packet : question.packets) {
    if (!enter(packet, question.step)) {
      return listener_.failed(fmt::format(
          "frame {} is between robots {} and {}, but the scenario has {}; list the gateway's robots in its order",
          packet.id, packet.sender.value(), packet.receiver.value_or(packet.sender).value(), robots_));
    }
  }
  world_.advance(question.step.end(), answer_);
  listener_.ended(answer_);
}

bool Ns3Network::enter(const CapturedPacket& packet, const Step& step) {
  if (packet.sender.value() >= robots_ || (packet.receiver && packet.receiver->value() >= robots_)) {
    return false;
  }
  const SimTime at = packet.captured < step.from ? packet.captured + step.length : packet.captured;
  world_.enter(packet, std::clamp(at, std::max(step.from, world_.now()), std::max(step.end(), world_.now())));
  return true;
}

namespace {

constexpr Nanoseconds kOneHop = std::chrono::milliseconds(1);     // a copy crosses the air, or it does not
constexpr Nanoseconds kRelayed = std::chrono::milliseconds(200);  // and waits in the queue of a relay
constexpr double kNowhere = 1e7;  // metres from all others, for robots without a known position

Nanoseconds linger_of(const Scenario& scenario) {
  const bool relayed = !scenario.stations.empty() || scenario.routing != Routing::kNone;
  return relayed ? kRelayed : kOneHop;
}

ns3::Vector vector_of(const Vec3& at) {
  return {at.x, at.y, at.z};
}

void place(const ns3::Ptr<ns3::Node>& node, const Vec3& at) {
  auto mobility = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
  mobility->SetPosition(vector_of(at));
  node->AggregateObject(mobility);
}

std::unique_ptr<Network> make_network(const Ground& ground) {
  switch (ground.scenario.type) {
    case NetworkType::kWifi:
      break;
    case NetworkType::kCsma:
      return make_csma(ground);
    case NetworkType::kLrWpan:
      return make_lr_wpan(ground);
    case NetworkType::kLte:
      return make_lte(ground);
  }
  return make_wifi(ground);
}

}  // namespace

struct World::Inside {
  explicit Inside(const Scenario& asked)
      : scenario(asked),
        view(std::make_shared<SceneView>(asked.wall_losses_db, asked.blocked_loss_db)),
        fates(asked.robots.size(), linger_of(asked), asked.give_up) {}

  Scenario scenario;
  std::shared_ptr<SceneView> view;
  Fates fates;
  ns3::NodeContainer robots;
  ns3::NodeContainer stations;
  std::unique_ptr<Network> network;
};

World::World(const Scenario& scenario) : inside_(std::make_unique<Inside>(scenario)) {
  ns3::RngSeedManager::SetSeed(scenario.seed);
  set_defaults(scenario);
  inside_->robots.Create(static_cast<std::uint32_t>(scenario.robots.size()));
  inside_->stations.Create(static_cast<std::uint32_t>(scenario.stations.size()));
  for (std::uint32_t i = 0; i < scenario.robots.size(); ++i) {
    place(inside_->robots.Get(i), scenario.robots[i].at.value_or(Vec3{.z = kNowhere * (i + 1)}));
    inside_->view->know(ns3::PeekPointer(inside_->robots.Get(i)->GetObject<ns3::MobilityModel>()), RobotIndex{i});
  }
  for (std::uint32_t i = 0; i < scenario.stations.size(); ++i) {
    place(inside_->stations.Get(i), scenario.stations[i].at);
  }
  inside_->network = make_network({.scenario = inside_->scenario,
                                   .robots = inside_->robots,
                                   .stations = inside_->stations,
                                   .view = inside_->view,
                                   .fates = inside_->fates});
  key_being_built().clear();
}

World::~World() {
  inside_->network.reset();
  ns3::Simulator::Destroy();
}

void World::use(const Scene& scene) {
  for (std::uint32_t i = 0; i < inside_->robots.GetN() && i < scene.robots.size(); ++i) {
    inside_->robots.Get(i)->GetObject<ns3::MobilityModel>()->SetPosition(vector_of(scene.robots[i].position));
  }
  inside_->view->use(scene);
}

void World::enter(const CapturedPacket& packet, SimTime at) {
  Inside* inside = inside_.get();
  ns3::Simulator::ScheduleWithContext(inside->robots.Get(packet.sender.value())->GetId(),
                                      ns3::NanoSeconds(static_cast<std::uint64_t>((at - now()).count())),
                                      [inside, packet] {
                                        inside->fates.open(packet, sim_now(), inside->network->pieces(packet));
                                        inside->network->send(packet);
                                      });
}

void World::advance(SimTime until, NetworkAnswer& answer) {
  if (until > now()) {
    ns3::Simulator::Stop(ns3::NanoSeconds(static_cast<std::uint64_t>((until - now()).count())));
    ns3::Simulator::Run();
  }
  inside_->fates.settle(until, answer);
}

SimTime World::now() const {
  return sim_now();
}

}  // namespace hilgate::ns3net
