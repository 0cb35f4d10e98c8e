// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_all.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "bench/measured_host.h"
#include "bench/program_output.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<double>;

/// A figure of a benchmark, and its yardstick in the same document.
struct Measured {
  std::string_view name, text, unit;   // the name is its key in docs/reference/figures.json
  std::string_view place;              // a JSON pointer
  std::string_view yardstick_place{};  // likewise; empty: none is measured with it
  std::string_view yardstick{};        // what it is
  bool less_is_better = false;
};

struct Measuring {
  std::string_view name;
  std::string_view command;
  std::vector<std::string> arguments;
  std::string_view seconds;  // the option that bounds its time, of which there are `phases`; empty: it takes its own
  double phases;
  std::vector<Measured> figures;
};

constexpr std::string_view kForwarder = "plain AF_XDP forwarder";
constexpr std::string_view kSpin = "an empty loop that reads the clock";

const std::vector<Measuring>& measurings() {
  static const std::vector<Measuring> all = {
      {"throughput",
       "throughput",
       {"--size", "64"},
       "--seconds",
       1,
       {{"throughput.64", "the whole path on one core, 64 B, delay 1 ms", "frames/s", "/pps", "/testpmd_pps",
         "dpdk-testpmd"},
        {"throughput.64.fair", "the whole path on one core, 64 B, delay 1 ms; yardstick with as many frames held",
         "frames/s", "/pps", "/holding_forwarder_pps", "a forwarder that holds as many"}}},
      {"throughput.10us",
       "throughput",
       {"--size", "64", "--delay", "10us"},
       "--seconds",
       1,
       {{"throughput.64.10us", "the whole path on one core, 64 B, delay 10 us", "frames/s", "/pps", "/testpmd_pps",
         "dpdk-testpmd"}}},
      {"cores",
       "throughput",
       {"--size", "64", "--cores", "2", "--crossing", "100"},
       "--seconds",
       1,
       {{"cores.2.100", "two cores, all frames cross, 64 B, delay 1 ms", "frames/s", "/pps", "/one_core_pps",
         "one core"},
        {"cores.2.100.fair", "two cores, all frames cross, 64 B, delay 1 ms; yardstick whose frames cross as well",
         "frames/s", "/pps", "/forwarders_pps", "two forwarders that hand all frames to one another"}}},
      {"hold",
       "hold",
       {"--frames", "1000000"},
       "--seconds",
       1,
       {{"hold.1M", "a million frames held, 64 B", "frames/s", "/pps", "/pps_1k", "a thousand held"}}},
      {"release",
       "release",
       {},
       "",
       1,
       {{"release.p50", "release error p50", "ns", "/p50_ns", "/spin_p50_ns", kSpin, true},
        {"release.p99", "release error p99", "ns", "/p99_ns", "/spin_p99_ns", kSpin, true}}},
      {"passthrough",
       "passthrough",
       {},
       "--seconds",
       1,
       {{"passthrough.64", "64 B between two veth ports", "frames/s", "/pps", "/xsk_pps", kForwarder},
        {"passthrough.1500", "1500 B between two veth ports", "frames/s", "/pps_1500", "/xsk_pps_1500", kForwarder},
        {"passthrough.rtt", "round trip between two veth ports", "us", "/rtt_us", "/bridge_rtt_us", "a kernel bridge",
         true}}},
      {"links",
       "links",
       {"--robots", "256"},
       "--duration",
       2,
       {{"links.256", "one link of 256 robots", "ns", "/ns_per_link", "/ns3_ns_per_link", "ns-3", true},
        {"links.256.update", "an update of all links of 256 robots", "ms", "/ms_per_update", {}, {}, true}}},
      {"scale",
       "links",
       {"--robots", "1000", "--window", "10ms", "--spread", "29000"},
       "--duration",
       2,
       {{"links.1000.update",
         "an update of 1000 robots that receive 30 others each, windows of 10 ms",
         "ms",
         "/ms_per_update",
         {},
         {},
         true}}},
      {"windows",
       "windows",
       {"--protocol", "native"},
       "--duration",
       3,
       {{"windows.native", "lockstep windows, both simulators remote, native protocol", "windows/s", "/windows_per_s"},
        {"windows.round_trip", "round trip to the network simulator, p50", "us", "/round_trip_p50_us", {}, {}, true}}}};
  return all;
}

std::vector<std::string> command_line(const Measuring& measuring, double seconds) {
  std::vector<std::string> words{"bench", std::string(measuring.command), "--json"};
  words.insert(words.end(), measuring.arguments.begin(), measuring.arguments.end());
  if (!measuring.seconds.empty()) {
    const double each = seconds / measuring.phases;
    words.emplace_back(measuring.seconds);
    words.push_back(measuring.seconds == "--duration" ? fmt::format("{:.0f}ms", each * 1e3) : fmt::format("{}", each));
  }
  return words;
}

std::optional<double> value_at(const Json& document, std::string_view place) {
  const Json::json_pointer pointer{std::string(place)};
  if (place.empty() || !document.contains(pointer) || !document.at(pointer).is_number()) {
    return std::nullopt;
  }
  return document.at(pointer).get<double>();
}

/// What the rounds gave of one figure, each list by round.
struct Series {
  Values ours, yardsticks, ratios;  // ratios: of figure and yardstick, or its inverse, above 1: better
  Values theirs, gains;             // of the other build, and ours in relation to it, above 1: ours is better
};

double better_ratio(const Measured& figure, double ours, double other) {
  return figure.less_is_better ? other / ours : ours / other;
}

double middle(Values values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Json spread_json(const Values& values) {
  if (values.empty()) {
    return nullptr;
  }
  const auto [least, most] = std::ranges::minmax_element(values);
  return {{"min", *least}, {"median", middle(values)}, {"max", *most}};
}

Json series_json(const Measured& figure, const Series& series) {
  Json json{{"name", figure.name},
            {"text", figure.text},
            {"unit", figure.unit},
            {"rounds", series.ours.size()},
            {"value", spread_json(series.ours)}};
  if (!figure.yardstick.empty()) {
    json["yardstick"] = {{"name", figure.yardstick}, {"value", spread_json(series.yardsticks)}};
    json["ratio"] = spread_json(series.ratios);
  }
  if (!series.gains.empty()) {
    const auto wins =
        static_cast<std::size_t>(std::ranges::count_if(series.gains, [](double gain) { return gain > 1; }));
    json["other"] = spread_json(series.theirs);
    json["gain"] = spread_json(series.gains);
    json["better_in"] = wins;
    json["by_chance"] = sign_test(wins, series.gains.size());
  }
  return json;
}

std::string spread_text(const Json& spread) {
  const auto text = [](double value) {
    return value >= 1e5 ? fmt::format("{:.4g}", value) : fmt::format("{:.3g}", value);
  };
  return spread.is_null()
             ? "not measured"
             : fmt::format("{} ({} to {})", text(spread.at("median")), text(spread.at("min")), text(spread.at("max")));
}

void print_figure(const Json& figure) {
  fmt::print("{:<22} {} {}\n", figure.at("name").get<std::string>(), spread_text(figure.at("value")),
             figure.at("unit").get<std::string>());
  if (figure.contains("yardstick")) {
    fmt::print("{:22} {} of {}: {}\n", "", spread_text(figure.at("ratio")),
               figure.at("yardstick").at("name").get<std::string>(), spread_text(figure.at("yardstick").at("value")));
  }
  if (figure.contains("gain")) {
    fmt::print("{:22} {} of the other build, better in {} of {} pairs; by chance with {:.2g}\n", "",
               spread_text(figure.at("gain")), figure.at("better_in").get<std::size_t>(),
               figure.at("rounds").get<std::size_t>(), figure.at("by_chance").get<double>());
  }
}

std::vector<const Measuring*> chosen(const std::vector<std::string>& only) {
  std::vector<const Measuring*> list;
  for (const Measuring& measuring : measurings()) {
    if (only.empty() || std::ranges::find(only, measuring.name) != only.end()) {
      list.push_back(&measuring);
    }
  }
  for (const std::string& name : only) {
    if (std::ranges::find(measurings(), name, &Measuring::name) == measurings().end()) {
      std::vector<std::string_view> names;
      std::ranges::transform(measurings(), std::back_inserter(names), &Measuring::name);
      throw std::invalid_argument(fmt::format("'{}' is no benchmark; there are {}", name, fmt::join(names, ", ")));
    }
  }
  return list;
}

/// One benchmark in all its rounds.
class Rounds {
 public:
  Rounds(const Measuring& measuring, const BenchAllOptions& options)
      : measuring_(measuring), options_(options), series_(measuring.figures.size()) {}

  void run() {
    for (std::size_t round = 0; round < options_.rounds; ++round) {
      const bool ours_first = round % 2 == 0;  // what the host does in the course of time hits both builds
      std::optional<Json> other;
      if (!options_.against.empty() && !ours_first) {
        other = document_of(std::filesystem::absolute(options_.against).string());
      }
      const Json ours = document_of("/proc/self/exe");
      if (!options_.against.empty() && ours_first) {
        other = document_of(std::filesystem::absolute(options_.against).string());
      }
      add(ours, other);
    }
  }

  [[nodiscard]] Json json() const {
    Json list = Json::array();
    for (std::size_t i = 0; i < series_.size(); ++i) {
      list.push_back(series_json(measuring_.figures[i], series_[i]));
    }
    return list;
  }

 private:
  [[nodiscard]] Json document_of(const std::string& program) const {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(program, error);
    if (error) {
      throw std::runtime_error(fmt::format("{}: {}", program, error.message()));
    }
    return Json::parse(output_of_program(real.string(), command_line(measuring_, options_.seconds)));
  }

  void add(const Json& ours, const std::optional<Json>& other) {
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const Measured& figure = measuring_.figures[i];
      const auto value = value_at(ours, figure.place);
      const auto yardstick = value_at(ours, figure.yardstick_place);
      const auto theirs = other ? value_at(*other, figure.place) : std::nullopt;
      if (value) {
        series_[i].ours.push_back(*value);
      }
      if (value && yardstick) {
        series_[i].yardsticks.push_back(*yardstick);
        series_[i].ratios.push_back(better_ratio(figure, *value, *yardstick));
      }
      if (value && theirs) {
        series_[i].theirs.push_back(*theirs);
        series_[i].gains.push_back(better_ratio(figure, *value, *theirs));
      }
    }
  }

  const Measuring& measuring_;
  const BenchAllOptions& options_;
  std::vector<Series> series_;
};

}  // namespace

double sign_test(std::size_t wins, std::size_t pairs) {
  const std::size_t fewer = std::min(wins, pairs - wins);
  double ways = 0;  // of C(pairs, k), k up to `fewer`, in units of 2^pairs
  double one = std::exp2(-static_cast<double>(pairs));
  for (std::size_t k = 0; k <= fewer; ++k) {
    ways += one;
    one *= static_cast<double>(pairs - k) / static_cast<double>(k + 1);
  }
  return std::min(1.0, 2 * ways);
}

int bench_all_command(const BenchAllOptions& options) {
  Json document{
      {"hilgate_bench", 1},       {"began", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
      {"host", measured_host()},  {"rounds", options.rounds},
      {"figures", Json::array()}, {"failed", Json::array()}};
  for (const Measuring* measuring : chosen(options.only)) {
    Rounds rounds(*measuring, options);
    try {
      rounds.run();
    } catch (const std::exception& failure) {
      fmt::print(stderr, "hilgate: bench {}: {}\n", measuring->name, failure.what());
      document["failed"].push_back({{"name", measuring->name}, {"why", failure.what()}});
      continue;
    }
    for (const Json& figure : rounds.json()) {
      if (!options.json) {
        print_figure(figure);
        std::fflush(stdout);
      }
      document["figures"].push_back(figure);
    }
  }
  if (options.json) {
    fmt::print("{}\n", document.dump());
  }
  return document["failed"].empty() ? 0 : 1;
}

}  // namespace hilgate
