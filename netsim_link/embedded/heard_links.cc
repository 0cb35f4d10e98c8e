// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/heard_links.h"

namespace hilgate {

void HeardLinks::begin(LinkTable& table, std::size_t links) {
  before_.clear();
  if (table.sparse && table.links.size() == links) {
    before_.swap(table.heard);
  } else {
    table.silence(links);
  }
}

void HeardLinks::finish(LinkTable& table) {
  written_.assign((table.links.size() + kBits - 1) / kBits, 0);
  for (const std::uint32_t link : table.heard) {
    written_[link / kBits] |= std::uint64_t{1} << link % kBits;
  }
  for (const std::uint32_t link : before_) {
    if (!is_written(link)) {
      table.links[link] = kSilentLink;
    }
  }
}

void HeardLinks::give_up(LinkTable& table) {
  table.sparse = false;  // it has links that `heard` does not list
}

}  // namespace hilgate
