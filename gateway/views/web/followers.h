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

/// Who watches a run, no more than so many at a time. When all places are taken and somebody else comes, whoever has
/// most loses the oldest of his, so that nobody's keep out all others. For the thread of the server.
class Followers {
 public:
  using Leave = std::function<void()>;
  /// One watches as long as he keeps this.
  using Place = std::shared_ptr<void>;

  explicit Followers(std::size_t most) : most_(most) {}

  /// `leave` lets go of the place. Null: all are taken, and nobody has more than `peer` would have.
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
