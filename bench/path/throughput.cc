// SPDX-License-Identifier: Apache-2.0
// Frames per second through the whole path, from two net_null devices that copy, with a bit error rate of 1e-5 and 1 ms
// of delay, on one core; and what testpmd forwards between such devices, in turns with it.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/path/bench_memory.h"
#include "bench/path/load_rig.h"
#include "bench/path/path_bench.h"

namespace hilgate {
namespace {

constexpr int kNotFound = 127;

std::vector<std::string> arguments(const BenchCore& core, std::uint32_t frame_size) {
  const auto device = [&](int n) { return fmt::format("net_null{},size={},copy=1", n, frame_size); };
  return {"dpdk-testpmd",
          "--lcores",
          fmt::format("0@{},1@{}", core.first(), core.measured()),
          "--no-pci",
          "--no-huge",
          "-m",
          "128",
          "--no-telemetry",
          "--log-level",
          "error",
          "--file-prefix",
          fmt::format("hilgate-testpmd-{}", ::getpid()),
          "--vdev",
          device(0),
          "--vdev",
          device(1),
          "--",
          "--forward-mode=io",
          "--auto-start",
          "--nb-cores=1",
          "--burst=64",
          "--stats-period=1",
          "--no-lsc-interrupt",
          "--total-num-mbufs=16384"};
}

/// testpmd, its output in a pipe; gone with this object.
class Testpmd {
 public:
  Testpmd(const BenchCore& core, std::uint32_t frame_size) {
    std::vector<std::string> words = arguments(core, frame_size);
    std::vector<char*> argv;
    for (std::string& word : words) {
      argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error(fmt::format("pipe2: {}", std::strerror(errno)));
    }
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
      become(argv.data(), ends[1], parent);
    }
    ::close(ends[1]);
    output_ = ::fdopen(ends[0], "r");
  }
  ~Testpmd() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    std::fclose(output_);
  }
  Testpmd(const Testpmd&) = delete;
  Testpmd& operator=(const Testpmd&) = delete;

  /// The next line of its output; empty at the end.
  std::optional<std::string> line() {
    std::array<char, 512> text{};
    if (std::fgets(text.data(), text.size(), output_) == nullptr) {
      return std::nullopt;
    }
    return std::string(text.data());
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  [[noreturn]] static void become(char** argv, int output, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int silence = ::open("/dev/null", O_RDWR);
    ::dup2(silence, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    if (::getppid() == parent) {
      ::execvp(argv[0], argv);
    }
    ::_exit(errno == ENOENT ? kNotFound : 126);
  }

  pid_t pid_ = -1;
  FILE* output_ = nullptr;
};

std::optional<double> rx_pps(const std::string& line) {
  constexpr std::string_view kKey = "Rx-pps:";
  const auto at = line.find(kKey);
  return at == std::string::npos ? std::nullopt : std::optional(std::strtod(line.c_str() + at + kKey.size(), nullptr));
}

// Every second it prints each port's rate since the time before. The first two are of starting up.
// Frames per second that dpdk-testpmd forwards in mode io between two net_null devices, both directions together, with
// one forwarding core: what the devices themselves allow. Measures for `seconds` after a second of warming up. Empty
// when there is no dpdk-testpmd in PATH. Throws std::runtime_error with its own words when it does not run.
std::optional<double> testpmd_pps(const BenchCore& core, std::uint32_t frame_size, unsigned seconds) {
  constexpr unsigned kPorts = 2;
  constexpr unsigned kWarmUpLines = 2 * kPorts;
  Testpmd testpmd(core, frame_size);
  std::deque<std::string> last_lines;
  double sum = 0;
  unsigned seen = 0;
  while (const auto line = testpmd.line()) {
    last_lines.push_back(*line);
    if (last_lines.size() > 3) {
      last_lines.pop_front();
    }
    if (const auto rate = rx_pps(*line)) {
      sum += seen >= kWarmUpLines ? *rate : 0;
      if (++seen == kWarmUpLines + seconds * kPorts) {
        return sum / seconds;
      }
    }
  }
  const int status = testpmd.wait();
  if (status == kNotFound) {
    return std::nullopt;
  }
  std::string words;
  for (const std::string& line : last_lines) {
    words += line;
  }
  throw std::runtime_error(fmt::format("dpdk-testpmd ended with status {}: {}", status, words));
}

using namespace std::chrono_literals;

struct Row {
  std::string name;
  double size = 0;
  double pps = 0;
  std::optional<double> testpmd;
  std::optional<double> forwarder;  // the same devices, as many frames held, no path
  Measured measured;                // of the median
  std::optional<double> zero_loss;

  [[nodiscard]] std::optional<double> ratio() const { return testpmd ? std::optional(pps / *testpmd) : std::nullopt; }
  [[nodiscard]] double gbps() const { return pps * size * 8e-9; }
};

// What testpmd makes of a mix follows from what it makes of each size.
std::optional<double> yardstick(const BenchCore& core, const Load& load, unsigned seconds) {
  double time = 0;
  double frames = 0;
  for (const NullDevice& device : load.devices) {
    const auto pps = testpmd_pps(core, device.size, seconds);
    if (!pps) {
      return std::nullopt;
    }
    time += device.share / *pps;
    frames += device.share;
  }
  return frames / time;
}

Row measure(const ThroughputOptions& options, const BenchCore& core, const Load& load, LoadRig& rig) {
  const std::size_t rounds = options.duration >= 3s ? 3 : 1;
  const Nanoseconds each = options.duration / static_cast<std::int64_t>(rounds);
  std::vector<Measured> ours;
  std::vector<double> theirs;
  std::vector<double> holding;
  for (std::size_t round = 0; round < rounds; ++round) {
    if (const auto pps = yardstick(core, load, each >= 2s ? 2 : 1)) {
      theirs.push_back(*pps);
    }
    ours.push_back(rig.run(each));
    holding.push_back(rig.forward(each / 4, static_cast<std::size_t>(ours.back().held)));
  }
  std::ranges::sort(holding);
  std::ranges::sort(ours, {}, &Measured::pps);
  std::ranges::sort(theirs);
  Row row{.name = load.name,
          .size = load.mean_size(),
          .testpmd = {},
          .forwarder = holding[rounds / 2],
          .measured = ours[rounds / 2],
          .zero_loss = {}};
  row.pps = row.measured.pps();
  if (!theirs.empty()) {
    row.testpmd = theirs[theirs.size() / 2];
  }
  if (options.search) {
    const Nanoseconds trial = std::max<Nanoseconds>(each / 4, 10ms);
    RateSearch search([&](double pps) { return rig.offer(pps, trial); }, {.most = row.pps * 1.2, .trials = 1});
    row.zero_loss = search.highest(0).rate;
  }
  return row;
}

nlohmann::ordered_json to_json(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

double per_frame(const Row& row, std::uint64_t StageCycles::*stage) {
  return static_cast<double>(row.measured.cycles.*stage) /
         static_cast<double>(std::max<std::uint64_t>(row.measured.captured, 1));
}

nlohmann::ordered_json to_json(const Row& row) {
  nlohmann::ordered_json json{{"pps", row.pps},
                              {"testpmd_pps", to_json(row.testpmd)},
                              {"ratio", to_json(row.ratio())},
                              {"holding_forwarder_pps", to_json(row.forwarder)},
                              {"size", row.name},
                              {"gbps", row.gbps()},
                              {"held", row.measured.held},
                              {"cycles_per_frame",
                               {{"receive", per_frame(row, &StageCycles::receive)},
                                {"decide", per_frame(row, &StageCycles::decide)},
                                {"release", per_frame(row, &StageCycles::release)},
                                {"transmit", per_frame(row, &StageCycles::transmit)}}}};
  if (row.zero_loss) {
    json["zero_loss_pps"] = *row.zero_loss;
  }
  return json;
}

void print(const Row& row) {
  std::vector<BenchBar> rates{{"hilgate", row.pps, with_prefix(row.pps) + "pps"}};
  if (row.testpmd) {
    rates.push_back({"testpmd io", *row.testpmd, with_prefix(*row.testpmd) + "pps"});
  }
  if (row.forwarder) {
    rates.push_back({"as many held", *row.forwarder, with_prefix(*row.forwarder) + "pps"});
  }
  if (row.zero_loss) {
    rates.push_back({"without loss", *row.zero_loss, with_prefix(*row.zero_loss) + "pps"});
  }
  print_bars(fmt::format("frames of {} bytes: {:.1f} Gbit/s, {}", row.name, row.gbps(),
                         row.ratio() ? fmt::format("{:.2f} of testpmd", *row.ratio())
                                     : "dpdk-testpmd not found in PATH, no comparison (Debian package: dpdk-dev)"),
             rates);
  const auto stage = [&row](const char* name, std::uint64_t StageCycles::*which) {
    return BenchBar{name, per_frame(row, which), fmt::format("{:.1f}", per_frame(row, which))};
  };
  print_bars("  cycles per frame",
             {stage("receive", &StageCycles::receive), stage("decide", &StageCycles::decide),
              stage("release", &StageCycles::release), stage("transmit", &StageCycles::transmit)});
}

}  // namespace

int bench_throughput_command(const ThroughputOptions& options) {
  if (options.delay < 0ns || options.delay > 2ms) {
    throw std::runtime_error(fmt::format("--delay {} ns: allowed are 0 to 2ms", options.delay.count()));
  }
  if (options.cores == 0 || (options.cores == 1 && options.crossing > 0)) {
    throw std::runtime_error(fmt::format("--cores {} --crossing {}: frames cross between at least 2 cores",
                                         options.cores, options.crossing));
  }
  if (options.cores > 1) {
    return bench_cores(options);
  }
  const std::vector<Load> loads = loads_of(options.size);
  const BenchCore core;
  const LoadDevices devices(loads);
  const BenchMemory memory = bench_memory(mbuf_bytes(LoadRig::kPoolFrames, devices.largest), 0, "bench throughput");
  const Eal eal(bench_eal(memory, devices.words));
  core.stay();
  const BenchClock clock(core.first());
  MbufPool pool("bench", LoadRig::kPoolFrames, devices.largest);
  std::vector<Row> rows;
  unsigned next_device = 0;
  for (const Load& load : loads) {
    LoadRig rig(load, next_device, pool, clock, options.delay);
    rows.push_back(measure(options, core, load, rig));
  }
  if (!options.json) {
    fmt::print("net_null, {}, processor {}\n", memory.name(), core.measured());
    std::ranges::for_each(rows, [](const Row& row) { print(row); });
    return 0;
  }
  nlohmann::ordered_json json = to_json(rows.front());
  json["memory"] = memory.name();
  json["cpu"] = core.measured();
  for (const Row& row : rows) {
    json["rows"].push_back(to_json(row));
  }
  print_json(json);
  return 0;
}

}  // namespace hilgate
