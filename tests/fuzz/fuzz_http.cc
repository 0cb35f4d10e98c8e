// SPDX-License-Identifier: Apache-2.0
// Requests to the page, in pieces as networks cut them: the same request however it is cut, within its limits.
#include <algorithm>

#include "gateway/views/web/http_messages.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

using State = HttpReader::State;

// Once a reader is done, what follows is not given to it.
State feed(HttpReader& reader, std::string_view text, std::size_t piece) {
  State state = State::kMore;
  while (state == State::kMore && !text.empty()) {
    const std::size_t size = std::min(piece, text.size());
    state = reader.read(text.substr(0, size));
    text.remove_prefix(size);
  }
  return state;
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  using namespace hilgate::test;
  constexpr std::size_t kMostBody = std::size_t{64} << 10;
  FuzzInput input(data, size);
  const std::size_t piece = std::size_t{1} + input.byte();
  const std::string_view text = input.rest();
  HttpReader whole;
  HttpReader pieces;
  const State state = feed(whole, text, std::max<std::size_t>(text.size(), 1));
  const State in_pieces = feed(pieces, text, piece);
  if (state == State::kDone && in_pieces == State::kDone) {
    const HttpRequest one = whole.request();
    const HttpRequest other = pieces.request();
    require(one.path == other.path && one.method == other.method && one.host == other.host, "with the same head");
    require(one.body.size() <= kMostBody && other.body.size() <= kMostBody, "within its limits");
    require(one.path.find('?') == std::string::npos, "without a query");
  }
  return 0;
}
