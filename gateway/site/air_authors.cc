// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/air_authors.h"

#include <utility>

namespace hilgate {

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
