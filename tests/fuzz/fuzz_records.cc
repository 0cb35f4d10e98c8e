// SPDX-License-Identifier: Apache-2.0
// What processes of hilgate leave for one another: records of labs, and probes, which any host may send to a probe's
// port.
#include <stdexcept>

#include "bench/probe/probe_packet.h"
#include "gateway/lab/lab_record.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

/// A lab of this process that never was.
class Record {
 public:
  Record() : lab_("fuzz-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(LabRecord::path_of(lab_).parent_path());
  }
  ~Record() {
    std::error_code gone;
    std::filesystem::remove(LabRecord::path_of(lab_), gone);
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  void read(std::string_view text) const {
    const std::string path = LabRecord::path_of(lab_);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    require(fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
            "a record can be written");
    ::close(fd);
    try {
      require(LabRecord::load(lab_).has_value(), "a record that is there is read");
    } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): refused
    }
  }

 private:
  std::string lab_;
};

void read_probes(FuzzInput& input) {
  while (!input.empty()) {
    const auto packet = input.bytes(kProbeBytes + 1);
    const auto probe = read_probe(packet);
    if (!probe) {
      continue;
    }
    (void)probe->plan.due(probe->plan.count);
    std::array<std::byte, kProbeBytes> again{};
    write_probe(*probe, again);
    require(std::ranges::equal(again, packet.first(kProbeBytes)), "a probe is what was sent");
  }
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate::test;
  static const Record record;
  FuzzInput input(data, size);
  if (input.byte() % 2 == 0) {
    record.read(input.rest());
  } else {
    read_probes(input);
  }
  return 0;
}
