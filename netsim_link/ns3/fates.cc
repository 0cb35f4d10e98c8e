// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/fates.h"

#include <algorithm>

namespace hilgate::ns3net {

Fates::Fates(std::size_t robots, Nanoseconds linger, Nanoseconds give_up)
    : robots_(robots), linger_(linger), give_up_(give_up) {}

void Fates::open(const CapturedPacket& packet, SimTime now, std::uint32_t pieces) {
  Entry entry{.group = !packet.receiver, .due = now + give_up_, .last = now + give_up_};
  const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << pieces) - 1);
  for (std::uint32_t i = 0; i < robots_; ++i) {
    if (packet.receiver ? RobotIndex{i} == *packet.receiver : RobotIndex{i} != packet.sender) {
      entry.shares.push_back({.robot = RobotIndex{i}, .pieces_left = all});
    }
  }
  const auto [place, fresh] = entries_.emplace(packet.id, std::move(entry));
  if (fresh) {
    due_.emplace(place->second.due, packet.id);
  }
}

Fates::Share* Fates::share_of(std::uint64_t packet, RobotIndex receiver) {
  const auto entry = entries_.find(packet);
  if (entry == entries_.end()) {
    return nullptr;
  }
  auto& shares = entry->second.shares;
  const auto share = std::ranges::find(shares, receiver, &Share::robot);
  return share != shares.end() ? &*share : nullptr;
}

void Fates::received(std::uint64_t packet, RobotIndex receiver, std::uint32_t piece, SimTime now) {
  Share* share = share_of(packet, receiver);
  if (share == nullptr) {
    return;  // a second copy, or one for another receiver
  }
  share->pieces_left &= ~(std::uint32_t{1} << piece);
  if (share->pieces_left != 0) {
    return;
  }
  const auto entry = entries_.find(packet);
  verdicts_.push_back({.packet = packet, .receiver = receiver, .release_at = now, .retries = retries(entry->second)});
  auto& shares = entry->second.shares;
  shares.erase(shares.begin() + (share - shares.data()));
  if (shares.empty()) {
    end_by(entry, now);
  }
}

void Fates::trying(std::uint64_t packet, SimTime now) {
  if (const auto entry = entries_.find(packet); entry != entries_.end() && !entry->second.shares.empty()) {
    ++entry->second.tries;
    end_by(entry, now + give_up_);  // any end recorded before is void
  }
}

// A frame for one robot is sent until it is acknowledged or given up; one for a group is sent once.
void Fates::sent(std::uint64_t packet, SimTime now) {
  if (const auto entry = entries_.find(packet); entry != entries_.end() && entry->second.group) {
    end_by(entry, now + linger_);
  }
}

void Fates::heard(std::uint64_t packet, RobotIndex receiver) {
  if (Share* share = share_of(packet, receiver)) {
    share->heard = true;
    share->cause = AirDrop::kNone;
  }
}

void Fates::hindered(std::uint64_t packet, RobotIndex receiver, AirDrop cause) {
  if (Share* share = share_of(packet, receiver)) {
    share->cause = cause;
  }
}

void Fates::given_up(std::uint64_t packet, AirDrop cause, SimTime now) {
  if (const auto entry = entries_.find(packet); entry != entries_.end()) {
    entry->second.cause = cause;
    end_by(entry, now + linger_);
  }
}

void Fates::end_by(Entries::iterator entry, SimTime due) {
  due_.erase({entry->second.due, entry->first});
  entry->second.due = std::min(due, entry->second.last);
  due_.emplace(entry->second.due, entry->first);
}

std::uint32_t Fates::retries(const Entry& entry) {
  return entry.tries > 0 ? entry.tries - 1 : 0;
}

void Fates::lose(const Entries::value_type& entry) {
  for (const Share& share : entry.second.shares) {
    AirDrop cause = entry.second.cause;
    if (cause == AirDrop::kNone && entry.second.tries == 0) {
      cause = AirDrop::kOther;  // it never got onto the air
    } else if (cause == AirDrop::kNone) {
      cause = share.cause != AirDrop::kNone ? share.cause : share.heard ? AirDrop::kBitErrors : AirDrop::kOutOfRange;
    }
    verdicts_.push_back({.packet = entry.first,
                         .receiver = share.robot,
                         .release_at = entry.second.due,
                         .drop = cause,
                         .retries = retries(entry.second)});
  }
}

void Fates::settle(SimTime now, NetworkAnswer& answer) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const std::uint64_t packet = due_.begin()->second;
    due_.erase(due_.begin());
    const auto entry = entries_.find(packet);
    lose(*entry);
    entries_.erase(entry);
    done_.push_back(packet);
  }
  answer.verdicts.insert(answer.verdicts.end(), verdicts_.begin(), verdicts_.end());
  answer.forget.insert(answer.forget.end(), done_.begin(), done_.end());
  verdicts_.clear();
  done_.clear();
}

}  // namespace hilgate::ns3net
