// SPDX-License-Identifier: Apache-2.0
#include "tests/world/site_network.h"

#include <sys/socket.h>
namespace hilgate::test {

class SiteNetwork::Socket final : public SiteSocket {
 public:
  Socket(SiteNetwork& network, SiteEnd own) : network_(network), own_(std::move(own)) {
    network_.drop_due(own_.ipv4);  // no socket was open then
  }

  std::span<const SiteSocket::Datagram> receive() noexcept override {
    taken_.clear();
    seen_.clear();
    auto& waiting = network_.on_way_[own_.ipv4];
    while (!waiting.empty() && waiting.begin()->first.first <= network_.now_ && taken_.size() < kBatch) {
      taken_.push_back(std::move(waiting.begin()->second));
      waiting.erase(waiting.begin());
      ++network_.accounts_[taken_.back().kind].received;
    }
    network_.received_[own_.ipv4] += taken_.size();
    for (const SiteNetwork::Datagram& datagram : taken_) {
      seen_.push_back({.ipv4 = datagram.from.ipv4, .port = datagram.from.port, .bytes = datagram.bytes});
    }
    return seen_;
  }
  [[nodiscard]] int fd() const override { return -1; }

 private:
  void send() noexcept override {
    for (Outgoing& each : outgoing()) {
      std::vector<std::byte> bytes;
      bytes.reserve(each.length);
      for (std::size_t i = 0; i < each.count; ++i) {
        const auto* const part = static_cast<const std::byte*>(each.parts[i].iov_base);
        bytes.insert(bytes.end(), part, part + each.parts[i].iov_len);
      }
      each.taken = network_.send(own_, each.ipv4, std::move(bytes));
    }
  }

  SiteNetwork& network_;
  SiteEnd own_;
  std::vector<SiteNetwork::Datagram> taken_;
  std::vector<SiteSocket::Datagram> seen_;
};

std::unique_ptr<SiteSocket> SiteNetwork::open(const SiteEnd& own) {
  return std::make_unique<Socket>(*this, own);
}

void SiteNetwork::drop_due(std::uint32_t ipv4) {
  auto& waiting = on_way_[ipv4];
  while (!waiting.empty() && waiting.begin()->first.first <= now_) {
    ++accounts_[waiting.begin()->second.kind].unheard;
    waiting.erase(waiting.begin());
  }
}

bool SiteNetwork::send(const SiteEnd& from, std::uint32_t to, std::vector<std::byte> bytes) {
  const auto kind = static_cast<std::size_t>(parse_site_packet(bytes, network_).packet.kind);
  if (random_.chance(terms_.refused)) {
    return false;
  }
  ++accounts_[kind].sent;
  if (random_.chance(terms_.duplication)) {
    ++accounts_[kind].duplicated;
    carry(from, to, kind, bytes);
  }
  carry(from, to, kind, bytes);
  return true;
}

void SiteNetwork::carry(const SiteEnd& from, std::uint32_t to, std::size_t kind, const std::vector<std::byte>& bytes) {
  if (is_cut(from.ipv4) || is_cut(to) || random_.chance(terms_.loss)) {
    ++accounts_[kind].lost;
    return;
  }
  const auto jitter = static_cast<std::uint32_t>(terms_.jitter.count());
  const WorldTime due = now_ + terms_.delay + Nanoseconds{jitter == 0 ? 0 : random_.below(jitter)};
  on_way_[to].emplace(std::pair(due, count_++), Datagram{.from = from, .kind = kind, .bytes = bytes});
}

void SiteTexts::open(const std::string& gateway, FileDescriptor program) {
  ends_[gateway] = {.program = std::move(program), .state = {}, .met = {}};
}

bool SiteTexts::reach(const std::string& one, const std::string& other) const {
  const auto is_cut = [this](const std::string& gateway) {
    const auto found = cut_.find(gateway);
    return found != cut_.end() && found->second;
  };
  return one != other && ends_.contains(one) && ends_.contains(other) && !is_cut(one) && !is_cut(other);
}

void SiteTexts::take(const std::string& from, WorldTime now) {
  End& end = ends_.at(from);
  while (true) {
    const ssize_t length = ::recv(end.program.get(), room_.data(), room_.size(), MSG_DONTWAIT);
    if (length <= 0) {
      return;
    }
    const std::string message = room_[0] + from + '\n' + std::string(&room_[1], static_cast<std::size_t>(length) - 1);
    if (static_cast<BusKind>(room_[0]) == BusKind::kState) {
      end.state = message;
    }
    for (const auto& [to, other] : ends_) {
      if (reach(from, to) && (static_cast<BusKind>(room_[0]) != BusKind::kState || other.met.contains(from))) {
        on_way_.push_back({.due = now + kDelay, .to = to, .message = message});
      }
    }
  }
}

void SiteTexts::note_reachable(const std::string& own, End& end, WorldTime now) {
  for (const auto& [name, other] : ends_) {
    if (!reach(own, name) || other.state.empty()) {
      continue;
    }
    if (!end.met.contains(name)) {
      on_way_.push_back({.due = now + kDelay, .to = own, .message = other.state});
    }
    end.met[name] = now;
  }
  for (auto each = end.met.begin(); each != end.met.end();) {
    if (now - each->second > kGoneAfter) {
      on_way_.push_back({.due = now, .to = own, .message = static_cast<char>(BusKind::kGone) + each->first + '\n'});
      each = end.met.erase(each);
    } else {
      ++each;
    }
  }
}

void SiteTexts::carry(WorldTime now) {
  if (now < next_) {
    return;
  }
  next_ = now + kLookEvery;
  for (auto& [name, end] : ends_) {
    take(name, now);
    note_reachable(name, end, now);
  }
  while (!on_way_.empty() && on_way_.front().due <= now) {
    const Text text = std::move(on_way_.front());
    on_way_.pop_front();
    if (const auto to = ends_.find(text.to); to != ends_.end()) {
      static_cast<void>(
          ::send(to->second.program.get(), text.message.data(), text.message.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
    }
  }
}

}  // namespace hilgate::test
