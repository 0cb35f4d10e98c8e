// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace hilgate {

/// The clients that watch a run, up to a maximum. When it is reached, a new client evicts the oldest connection of the
/// peer with the most, so that one peer cannot lock out all others. For the thread of the server.
class Followers {
 public:
  using Leave = std::function<void()>;
  /// The client watches as long as this is kept.
  using Place = std::shared_ptr<void>;

  explicit Followers(std::size_t most) : most_(most) {}

  /// `leave` ends the connection. Null: all slots are taken, and no peer has more than `peer` would have.
  [[nodiscard]] Place enter(const std::string& peer, Leave leave) {
    if (size() >= most_ && !make_room_for(peer)) {
      return nullptr;
    }
    std::list<Leave>& own = (*by_peer_)[peer];
    own.push_back(std::move(leave));
    return {by_peer_.get(), [by_peer = by_peer_, peer, place = std::prev(own.end())](void*) {
              const auto list = by_peer->find(peer);
              list->second.erase(place);
              if (list->second.empty()) {
                by_peer->erase(list);
              }
            }};
  }

 private:
  using ByPeer = std::map<std::string, std::list<Leave>>;

  [[nodiscard]] std::size_t size() const {
    std::size_t all = 0;
    for (const auto& [peer, leaves] : *by_peer_) {
      all += leaves.size();
    }
    return all;
  }

  bool make_room_for(const std::string& peer) {
    const auto most = std::ranges::max_element(*by_peer_, {}, [](const auto& each) { return each.second.size(); });
    const auto own = by_peer_->find(peer);
    if (most->second.size() <= (own == by_peer_->end() ? 0 : own->second.size()) + 1) {
      return false;
    }
    const Leave leave = most->second.front();  // goes out of the list by itself
    leave();
    return size() < most_;
  }

  std::size_t most_;
  std::shared_ptr<ByPeer> by_peer_ = std::make_shared<ByPeer>();
};

}  // namespace hilgate
