// SPDX-License-Identifier: Apache-2.0
// A running gateway that has no descriptors left.
#include <sys/resource.h>

#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <list>

#include "tests/fault/box/box_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Protocol = asio::local::stream_protocol;

std::uint64_t processor_ticks(pid_t process) {
  const std::string line = test::run_ok({"cat", fmt::format("/proc/{}/stat", process)});
  std::istringstream rest(line.substr(line.rfind(')') + 2));
  std::string word;
  std::uint64_t ticks = 0;
  for (int field = 3; rest >> word; ++field) {
    ticks += field == 14 || field == 15 ? std::stoull(word) : 0;
  }
  return ticks;
}

TEST_F(BoxFault, NoDescriptorsLeft) {
  const pid_t process = gateway().process().pid();
  // Processor time is measured over a time.
  constexpr auto kMeasured = 500ms;
  const std::uint64_t at_start = processor_ticks(process);
  std::this_thread::sleep_for(kMeasured);
  const std::uint64_t usual_ticks = processor_ticks(process) - at_start;
  rlimit usual{};
  ASSERT_EQ(prlimit(process, RLIMIT_NOFILE, nullptr, &usual), 0);
  rlimit none = usual;
  none.rlim_cur = 16;  // below what is open, and above what one call to ppoll() names
  ASSERT_EQ(prlimit(process, RLIMIT_NOFILE, &none, nullptr), 0);
  asio::io_context io;
  std::list<Protocol::socket> waiting;
  for (int i = 0; i < 12; ++i) {  // fewer than may wait to be taken
    waiting.emplace_back(io).connect(control_socket(gateway().run()).string());
  }
  const std::uint64_t before = processor_ticks(process);
  std::this_thread::sleep_for(kMeasured);
  const std::uint64_t ticks = processor_ticks(process) - before;
  ASSERT_EQ(prlimit(process, RLIMIT_NOFILE, &usual, nullptr), 0);
  waiting.clear();
  EXPECT_LT(ticks, usual_ticks + 25) << "hundredths of a second in half a second: the control thread spins";
  conclude({"A running gateway has no descriptors left while 12 clients connect",
            "No spinning; later clients are served",
            fmt::format("{} ms of processor time in 500 ms, a status after {}", 10 * ticks, text_of(answer_time()))});
}

}  // namespace
}  // namespace hilgate::test
