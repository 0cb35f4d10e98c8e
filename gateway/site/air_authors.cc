// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/air_authors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include "gateway/site/site_key.h"
#include "host/byte_cursor.h"

namespace hilgate {
namespace {

// A text: two hexadecimal digits a byte. Window, all links, first link here, links here, ends with attachments (in the
// last text); then the links, then the attachments.
constexpr std::size_t kHead = 8 + 4 * 4;
constexpr std::size_t kLink = 4 + 3 * 8 + 2 * 4 + 3 + 4 + 3 * 4;
constexpr std::size_t kAttachment = 5;
constexpr std::size_t kLinksOfText = (kMostAirText / 2 - kHead) / kLink / 2;  // the other half is for attachments
constexpr std::size_t kMostAttachments = kMostAirText / 4 / kAttachment;
constexpr std::uint32_t kNowhere = 0xffffffff;

std::uint8_t flags_of(const LinkState& state) {
  return static_cast<std::uint8_t>((state.reachable ? 1 : 0) | (state.line_of_sight ? 2 : 0));
}

void write_link(std::span<std::byte> to, std::uint32_t index, const LinkState& state) {
  store_be(to, 0, index);
  store_be(to, 4, std::bit_cast<std::uint64_t>(state.unicast.per_bit));
  store_be(to, 12, std::bit_cast<std::uint64_t>(state.multicast.per_bit));
  store_be(to, 20, state.delay.count());
  store_be(to, 28, std::bit_cast<std::uint32_t>(state.rssi_dbm));
  store_be(to, 32, std::bit_cast<std::uint32_t>(state.snr_db));
  store_be(to, 36, state.unicast_mode);
  store_be(to, 37, state.multicast_mode);
  store_be(to, 38, flags_of(state));
  store_be(to, 39, std::bit_cast<std::uint32_t>(state.ack_loss));
  for (std::size_t i = 0; i < state.combined.size(); ++i) {
    store_be(to, 43 + 4 * i, std::bit_cast<std::uint32_t>(state.combined[i]));
  }
}

LinkState read_link(std::span<const std::byte> from) {
  const auto real = [&](std::size_t at) { return std::bit_cast<float>(load_be<std::uint32_t>(from, at)); };
  const auto flags = load_be<std::uint8_t>(from, 38);
  return {.unicast = {std::bit_cast<double>(load_be<std::uint64_t>(from, 4))},
          .multicast = {std::bit_cast<double>(load_be<std::uint64_t>(from, 12))},
          .delay = Nanoseconds{load_be<std::int64_t>(from, 20)},
          .rssi_dbm = real(28),
          .snr_db = real(32),
          .unicast_mode = load_be<std::uint8_t>(from, 36),
          .multicast_mode = load_be<std::uint8_t>(from, 37),
          .reachable = (flags & 1) != 0,
          .line_of_sight = (flags & 2) != 0,
          .ack_loss = real(39),
          .combined = {real(43), real(47), real(51)}};
}

// What a window makes sane of a table (make_sane) may be anything; the rest must be what fates can be drawn by.
bool is_sane(const LinkState& state) {
  return std::isfinite(state.rssi_dbm) && std::isfinite(state.snr_db) && state.ack_loss >= 0 && state.ack_loss <= 1 &&
         std::ranges::all_of(state.combined, [](float hazard) { return hazard >= 0; });
}

}  // namespace

LinkStateUpdate LinkStateUpdate::of(const LinkTable& table, std::uint64_t window) {
  LinkStateUpdate word{.window = window, .attachments = table.attachments};
  if (table.sparse) {
    for (const std::uint32_t link : table.heard) {
      word.links.emplace_back(link, table.links[link]);
    }
    return word;
  }
  for (std::uint32_t link = 0; link < table.links.size(); ++link) {
    word.links.emplace_back(link, table.links[link]);
  }
  return word;
}

void LinkStateUpdate::write_to(LinkTable& table) const {
  table.silence(table.links.size());
  for (const auto& [link, state] : links) {
    table.links[link] = state;
    table.heard.push_back(link);
  }
  table.attachments = attachments;
}

std::vector<std::string> air_texts(const LinkStateUpdate& word) {
  std::vector<std::string> texts;
  std::size_t first = 0;
  do {
    const std::size_t count = std::min(kLinksOfText, word.links.size() - first);
    const bool last = first + count == word.links.size();
    const std::size_t attached = last ? std::min(word.attachments.size(), kMostAttachments) : 0;
    std::vector<std::byte> bytes(kHead + count * kLink + attached * kAttachment);
    const std::span<std::byte> all(bytes);
    store_be(all, 0, word.window);
    store_be(all, 8, static_cast<std::uint32_t>(word.links.size()));
    store_be(all, 12, static_cast<std::uint32_t>(first));
    store_be(all, 16, static_cast<std::uint32_t>(count));
    store_be(all, 20, static_cast<std::uint32_t>(attached));
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [link, state] = word.links[first + i];
      write_link(all.subspan(kHead + i * kLink, kLink), link, state);
    }
    for (std::size_t i = 0; i < attached; ++i) {
      const Attachment& attachment = word.attachments[i];
      const auto to = all.subspan(kHead + count * kLink + i * kAttachment, kAttachment);
      store_be(to, 0, static_cast<std::uint8_t>(attachment.state));
      store_be(to, 1, attachment.at ? attachment.at.value().value() : kNowhere);
    }
    texts.push_back(hexadecimal(bytes));
    first += count;
  } while (first < word.links.size());
  return texts;
}

std::optional<LinkStateUpdate> AirTexts::refuse() {
  ++refused_;
  word_.reset();
  return std::nullopt;
}

std::optional<LinkStateUpdate> AirTexts::take(std::string_view text) {
  const auto bytes = text.size() <= kMostAirText ? bytes_of_hexadecimal(text) : std::nullopt;
  if (!bytes || bytes->size() < kHead) {
    return refuse();
  }
  const std::span<const std::byte> all(*bytes);
  const auto window = load_be<std::uint64_t>(all, 0);
  const auto total = load_be<std::uint32_t>(all, 8);
  const auto first = load_be<std::uint32_t>(all, 12);
  const auto count = load_be<std::uint32_t>(all, 16);
  const auto attached = load_be<std::uint32_t>(all, 20);
  const std::size_t room = all.size() - kHead;
  if (total > ends_ * ends_ || count > room / kLink || attached > ends_ ||
      room != count * kLink + attached * kAttachment || first > total || count > total - first ||
      (count == 0 && total > 0)) {
    return refuse();
  }
  if (first == 0) {
    word_ = LinkStateUpdate{.window = window};
  }
  if (!word_ || word_->window != window || word_->links.size() != first) {
    word_.reset();  // one before it was lost
    return std::nullopt;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = all.subspan(kHead + i * kLink, kLink);
    const auto link = load_be<std::uint32_t>(from, 0);
    const LinkState state = read_link(from);
    if (link >= ends_ * ends_ || !is_sane(state)) {
      return refuse();
    }
    word_->links.emplace_back(link, state);
  }
  for (std::size_t i = 0; i < attached; ++i) {
    const auto from = all.subspan(kHead + count * kLink + i * kAttachment, kAttachment);
    const auto state = load_be<std::uint8_t>(from, 0);
    const auto at = load_be<std::uint32_t>(from, 1);
    if (state > static_cast<std::uint8_t>(AttachmentState::kAttached) || (at != kNowhere && at >= ends_)) {
      return refuse();
    }
    word_->attachments.push_back(
        {static_cast<AttachmentState>(state), at == kNowhere ? OptionalIndex<RobotIndex>() : RobotIndex{at}});
  }
  if (word_->links.size() < total) {
    return std::nullopt;
  }
  return std::exchange(word_, std::nullopt);
}

void AirAuthors::note(std::uint32_t gateway, LinkStateUpdate word) {
  late_ += begun_ && word.window <= window_ ? 1 : 0;
  if (begun_ && word.window > window_ + kMostAhead) {
    return;  // of another simulation than ours
  }
  Gateway& of = gateways_[gateway];
  if (of.ahead.size() < kMostAhead) {
    const std::uint64_t window = word.window;
    of.ahead.insert_or_assign(window, std::move(word));
  }
}

const LinkStateUpdate* AirAuthors::begin(std::uint64_t window) {
  window_ = window;
  begun_ = true;
  author_.reset();
  for (std::uint32_t i = 0; i < gateways_.size(); ++i) {
    Gateway& gateway = gateways_[i];
    while (!gateway.ahead.empty() && gateway.ahead.begin()->first <= window) {
      if (!gateway.now || gateway.now->window <= gateway.ahead.begin()->first) {
        gateway.now = std::move(gateway.ahead.begin()->second);
      }
      gateway.ahead.erase(gateway.ahead.begin());
    }
    if (!author_ && is_new(gateway)) {
      author_ = i;
    }
  }
  if (!author_) {
    return nullptr;
  }
  const LinkStateUpdate& word = *gateways_[*author_].now;
  without_word_ += word.window == window ? 0 : 1;
  changes_ += last_author_ && last_author_ != author_ ? 1 : 0;
  if (last_author_ == author_ && used_ == word.window) {
    return nullptr;
  }
  last_author_ = author_;
  used_ = word.window;
  return &word;
}

void AirAuthors::forget() {
  for (Gateway& gateway : gateways_) {
    gateway = {};
  }
  begun_ = false;
  author_.reset();
  used_.reset();
}

}  // namespace hilgate
