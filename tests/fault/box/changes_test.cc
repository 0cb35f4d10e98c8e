// SPDX-License-Identifier: Apache-2.0
// Operators who change the run too often, or to something that cannot be.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/fault/box/box_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class KeptFile {
 public:
  explicit KeptFile(std::filesystem::path file) : file_(std::move(file)) {
    std::filesystem::rename(file_, file_.string() + ".kept");
  }
  ~KeptFile() {
    std::filesystem::remove_all(file_);
    std::filesystem::rename(file_.string() + ".kept", file_);
  }
  KeptFile(const KeptFile&) = delete;
  KeptFile& operator=(const KeptFile&) = delete;

 private:
  std::filesystem::path file_;
};

TEST_F(BoxFault, ReloadsOfInvalidConfigurations) {
  const std::filesystem::path file = gateway().file();
  const std::uint64_t changes = gateway().status().totals("changes");
  int refused = 0;
  const auto refuse = [&] { refused += refusal_of({{"command", "reload"}}).empty() ? 0 : 1; };
  {
    const KeptFile kept(file);
    refuse();  // it is gone
    std::filesystem::create_directory(file);
    refuse();
    std::filesystem::remove(file);
    for (const char* text : {"", "\xff\xfe", "ports: [", "name: other\n", "a: &a [*a, *a]\n", "{}"}) {
      std::ofstream(file) << text;
      refuse();
    }
    std::ofstream(file) << std::string(1 << 20, '[');
    refuse();
    std::filesystem::remove(file);
    std::filesystem::create_symlink("/dev/zero", file);
    refuse();
    std::filesystem::remove(file);
    std::filesystem::create_symlink("/proc/kmsg", file);
    refuse();
  }
  EXPECT_EQ(refused, 11);
  EXPECT_EQ(gateway().status().totals("changes"), changes);
  EXPECT_EQ(refusal_of({{"command", "reload"}}), "") << "of the file as it was";
  conclude({"Reloads of a file that is gone, a folder, empty, no text, no YAML, 1 MB of brackets, a device",
            "Refused, and the run keeps its configuration", fmt::format("{} of 11 refused", refused)});
}

TEST_F(BoxFault, AStormOfReloads) {
  for (int i = 0; i < 50; ++i) {
    gateway().process().signal(SIGHUP);
    std::this_thread::sleep_for(2ms);
  }
  const auto answered = answer_time();
  // It comes after the last of them, so that none is carried out, and counted, in the next test.
  EXPECT_EQ(refusal_of({{"command", "reload"}}), "");
  conclude({"50 SIGHUP in 100 ms", "Each reload costs no frame", fmt::format("a status after {}", text_of(answered))});
}

TEST_F(BoxFault, TwoOperatorsAtOnce) {
  std::vector<std::jthread> operators;
  for (const char* link : {"mallory.green", "green.mallory", "mallory.red", "green.red"}) {
    operators.emplace_back([link] {
      for (int i = 0; i < 25; ++i) {
        set(fmt::format("links.{}.loss={} %", link, i));
      }
    });
  }
  operators.clear();
  const auto applied = grew([](const GatewayStatus& now) { return now.totals("changes"); });
  EXPECT_EQ(applied, 100U);
  ask({{"command", "reload"}});
  conclude({"Four operators change the run at once", "One after the other; none is lost",
            fmt::format("{} of 100 changes applied", applied)});
}

}  // namespace
}  // namespace hilgate::test
