// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/bus/bus_domain.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <stdexcept>

#include "host/interface_addresses.h"
#include "site_types.h"

namespace hilgate::bus {
namespace {

constexpr int kGatewaysOfOneAddress = 16;

std::string on_network(const std::string& address) {
  return address.starts_with("127.") ? "127.0.0.1" : address;
}

bool is_here(const std::string& address) {
  IpBytes wanted{};
  return ::inet_pton(AF_INET6, ("::ffff:" + address).c_str(), wanted.data()) == 1 &&
         std::ranges::count(interface_addresses(), wanted) > 0;
}

}  // namespace

std::string domain_configuration(const BusSettings& settings) {
  const std::string own = on_network(settings.address);
  if (!is_here(own)) {
    throw std::runtime_error(fmt::format("no interface has the gateway's address {}", own));
  }
  std::set<std::string> peers{own};
  for (const std::string& other : settings.others) {
    peers.insert(on_network(other));
  }
  std::string text = fmt::format(
      "<CycloneDDS><Domain><General><Interfaces><NetworkInterface address=\"{}\"/></Interfaces>"
      "<AllowMulticast>false</AllowMulticast></General>"
      "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>{}</MaxAutoParticipantIndex>"
      "<SPDPInterval>1s</SPDPInterval><LeaseDuration>3s</LeaseDuration><Peers>",
      own, kGatewaysOfOneAddress);
  for (const std::string& peer : peers) {
    text += fmt::format("<Peer address=\"{}\"/>", peer);
  }
  return text + "</Peers></Discovery></Domain></CycloneDDS>";
}

dds_entity_t made(dds_entity_t entity, const std::string& what) {
  if (entity < 0) {
    throw std::runtime_error(fmt::format("{}: DDS reports: {}", what, dds_strretcode(entity)));
  }
  return entity;
}

namespace {

using Qos = std::unique_ptr<dds_qos_t, decltype(&dds_delete_qos)>;
using Sample = hilgate_site_State;  // a Word has the same fields
static_assert(sizeof(hilgate_site_State) == sizeof(hilgate_site_Word));

constexpr std::int32_t kLatest = 32;  // texts of one gateway about air or positions; older ones are of no use

const char* topic_of(BusKind kind) {
  switch (kind) {
    case BusKind::kState:
      return "hilgate_site_states";
    case BusKind::kAir:
      return "hilgate_site_air";
    case BusKind::kPlaces:
      return "hilgate_site_places";
    default:
      return "hilgate_site_words";
  }
}

Qos qos_of(BusKind kind) {
  Qos qos(dds_create_qos(), dds_delete_qos);
  const bool holds = kind == BusKind::kState;
  dds_qset_reliability(qos.get(), DDS_RELIABILITY_RELIABLE, DDS_MSECS(100));
  dds_qset_durability(qos.get(), holds ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  dds_qset_history(qos.get(), kind == BusKind::kWord ? DDS_HISTORY_KEEP_ALL : DDS_HISTORY_KEEP_LAST,
                   holds ? 1 : kLatest);
  dds_qset_liveliness(qos.get(), DDS_LIVELINESS_AUTOMATIC, DDS_SECS(1));
  return qos;
}

}  // namespace

BusTopic::BusTopic(dds_entity_t participant, BusKind kind, const BusSettings& settings)
    : kind_(kind), gateway_(settings.gateway) {
  const bool holds = kind == BusKind::kState;
  const char* const name = topic_of(kind);
  const dds_topic_descriptor_t& type = holds ? hilgate_site_State_desc : hilgate_site_Word_desc;
  const Qos qos = qos_of(kind);
  const dds_entity_t topic = made(dds_create_topic(participant, &type, name, nullptr, nullptr), name);
  // Names of topics may have fewer characters than those of sites.
  const Qos of_site(dds_create_qos(), dds_delete_qos);
  dds_qset_partition1(of_site.get(), settings.site.c_str());
  const dds_entity_t publisher = made(dds_create_publisher(participant, of_site.get(), nullptr), name);
  const dds_entity_t subscriber = made(dds_create_subscriber(participant, of_site.get(), nullptr), name);
  writer_ = made(dds_create_writer(publisher, topic, qos.get(), nullptr), name);
  reader_ = made(dds_create_reader(subscriber, topic, qos.get(), nullptr), name);
}

bool BusTopic::write(const std::string& text) {
  // DDS only reads them.
  Sample sample{.gateway = const_cast<char*>(gateway_.c_str()), .text = const_cast<char*>(text.c_str())};
  return dds_write(writer_, &sample) >= 0;
}

void BusTopic::take(const Take& take) {
  constexpr std::size_t kAtOnce = 32;
  for (;;) {
    std::array<void*, kAtOnce> samples{};
    std::array<dds_sample_info_t, kAtOnce> infos;
    const dds_return_t taken = dds_take(reader_, samples.data(), infos.data(), kAtOnce, kAtOnce);
    if (taken <= 0) {
      return;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(taken); ++i) {
      const auto& sample = *static_cast<const Sample*>(samples[i]);
      if (sample.gateway == nullptr || sample.gateway == gateway_) {
        continue;
      }
      if (infos[i].valid_data && sample.text != nullptr) {
        take(kind_, sample.gateway, sample.text);
      } else if (kind_ == BusKind::kState && infos[i].instance_state != DDS_IST_ALIVE) {
        take(BusKind::kGone, sample.gateway, {});
      }
    }
    dds_return_loan(reader_, samples.data(), taken);
  }
}

}  // namespace hilgate::bus
