// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "bench/bench.h"
#include "bench/bench_all.h"
#include "bench/bench_links.h"
#include "bench/bench_windows.h"
#include "bench/certify/certify.h"
#include "bench/path/path_bench.h"
#include "bench/probe/probe.h"
#include "bench/stream_bench.h"
#include "gateway/commands/command_line.h"
#include "gateway/configuration/reader/installed_names.h"

namespace hilgate {
namespace {

template <class Options>
CLI::App* add(CLI::App& bench, const char* name, const char* text, const std::shared_ptr<Options>& options,
              int (*run)(const Options&), Action& action) {
  auto* command = bench.add_subcommand(name, text);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&action, options, run] { action = [options, run] { return run(*options); }; });
  return command;
}

template <class Options>
void add_seconds(CLI::App& command, const std::shared_ptr<Options>& options, const char* text) {
  command
      .add_option_function<double>(
          "--seconds",
          [options](double seconds) {
            options->duration = std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
          },
          text)
      ->check(CLI::Range(0.05, 3600.0));
}

void add_path_benches(CLI::App& bench, Action& action) {
  auto throughput = std::make_shared<ThroughputOptions>();
  auto* command = add(bench, "throughput",
                      "Measure frames per second through the packet path on one core, compared with testpmd; "
                      "or on several, compared with one",
                      throughput, bench_throughput_command, action);
  add_seconds(*command, throughput, "measuring time per frame size in seconds [6]");
  command->add_option("--size", throughput->size, "frame size: 64 to 1518 bytes, imix, or all")->capture_default_str();
  add_duration(*command, "--delay", throughput->delay, "delay of the links, up to 2 ms [1ms]");
  command
      ->add_option("--cores", throughput->cores, "packet loops, each with two ports; more than one: compared with one")
      ->capture_default_str();
  command->add_option("--crossing", throughput->crossing, "percent of frames to a robot of another core")
      ->capture_default_str();
  command->add_flag("--search", throughput->search, "also search the highest load without loss");

  auto hold = std::make_shared<HoldBenchOptions>();
  command = add(bench, "hold", "Measure frames per second with N frames held, compared with a thousand", hold,
                bench_hold_command, action);
  add_seconds(*command, hold, "total measuring time in seconds [6]");
  command->add_option("--frames", hold->frames, "number of frames held")->capture_default_str();

  auto release = std::make_shared<ReleaseOptions>();
  command = add(bench, "release", "Measure release lateness, compared with an empty loop that reads the clock", release,
                bench_release_command, action);
  command->add_option("--frames", release->frames, "number of frames to release")->capture_default_str();
  command->add_option("--rate", release->rate, "frames per second")->capture_default_str();
  add_duration(*command, "--delay", release->delay, "delay from arrival to release [1ms]");
}

void check_stream_end(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size()) {
    throw std::invalid_argument("'" + text + "' is not of the form NETNS:INTERFACE, such as red:eth0, " +
                                "/proc/123/ns/net:eth0 or :eth0");
  }
}

void add_bench_stream(CLI::App& bench, Action& action) {
  auto* command = bench.add_subcommand(
      "stream", "Measure delay, loss and highest rate of whatever lies between two interfaces of this machine");
  auto options = std::make_shared<StreamBenchOptions>();
  const auto add_end = [command](const char* name, const char* text, std::string& end) {
    add_word(*command, name, text, [&end](const std::string& given) {
      check_stream_end(given);
      end = given;
    })->required();
  };
  add_end("--from", "NETNS:INTERFACE that sends; NETNS is a name, a path or nothing", options->from);
  add_end("--to", "NETNS:INTERFACE that receives", options->to);
  command->add_option("--rate", options->rates, "frames per second, even; can be repeated")
      ->check(CLI::Range(1.0, 1e8));
  command->add_option("--size", options->size, "frame size in bytes, FCS included")
      ->check(CLI::Range(64, 1518))
      ->capture_default_str();
  add_duration(*command, "--delay", options->delay, "delay that is asked of what lies between [0ms]");
  add_duration(*command, "--duration", options->duration, "sending time at each rate [1s]");
  command->add_flag("--highest", options->highest, "search the highest rate, too");
  add_quantity<Probability>(*command, "--loss", "share of frames that may be lost at the highest rate [0.5 %]",
                            [options](Probability share) { options->loss = share.value; });
  add_duration(*command, "--trial", options->trial, "sending time of each trial of the search [100ms]");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&action, options] { action = [options] { return bench_stream_command(*options); }; });
}

void add_bench_windows(CLI::App& bench, Action& action) {
  auto* command = bench.add_subcommand("windows", "Measure windows per second and round trips to an idle simulator");
  auto options = std::make_shared<BenchWindowsOptions>();
  add_word(*command, "--protocol", "native, rosnetsim or dancers", [options](const std::string& name) {
    options->protocol = parse_protocol(name);
  })->required();
  command->add_option("--robots", options->robots, "number of robots")->capture_default_str();
  command->add_option("--packets", options->packets, "packets that each robot sends in each window")
      ->capture_default_str();
  const std::map<std::string, Pace> paces{{"lockstep", Pace::kLockstep}, {"wall", Pace::kWall}};
  command->add_option("--pace", options->pace, "pace: lockstep or wall")
      ->transform(CLI::CheckedTransformer(paces).description(""));
  add_duration(*command, "--window", options->window, "window length [1ms]");
  add_duration(*command, "--duration", options->duration, "time of each of three phases [2s]");
  add_reference(*command, options->reference);
  command->add_option("--cpu", options->cpu, "processor that both ends run on");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&action, options] { action = [options] { return bench_windows_command(*options); }; });
}

void add_bench_links(CLI::App& bench, Action& action) {
  auto* command =
      bench.add_subcommand("links", "Measure an update of all link states, compared with ns-3 where it is built");
  auto options = std::make_shared<BenchLinksOptions>();
  command->add_option("--robots", options->robots, "number of robots")
      ->check(CLI::Range(2, 2048))
      ->capture_default_str();
  command->add_option("--profile", options->profile, "radio profile of the robots")->capture_default_str();
  command->add_option("--map", options->map, "surveyed map [a generated floor plan, surveyed first]");
  command->add_option("--spread", options->spread_m, "side of the field in the open, in metres")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  add_duration(*command, "--window", options->window, "time from one update to the next in the open [1ms]");
  command->add_flag("--all-pairs", options->all_pairs, "compute pairs too far apart to hear one another too");
  command->add_option("--gateways", options->gateways, "of a site, one of which computes the links of its robots")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "threads that compute, of 128 robots and more")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  add_duration(*command, "--duration", options->duration, "time of each measurement [1s]");
  command->add_flag("--json", options->json, "print JSON");
  command->callback(
      [&action, options] { action = [options] { return bench_links_command(*options, profile_folders({})); }; });
}

void add_bench_all(CLI::App& bench, Action& action) {
  auto options = std::make_shared<BenchAllOptions>();
  auto* command = add(bench, "all", "Measure every figure with its yardstick in rounds, or compare two builds", options,
                      bench_all_command, action);
  command->add_option("--rounds", options->rounds, "rounds of each benchmark")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "measuring time of each benchmark and round in seconds")
      ->check(CLI::Range(1.0, 3600.0))
      ->capture_default_str();
  command->add_option("--only", options->only, "benchmarks to run, such as throughput,hold [all]")->delimiter(',');
  command->add_option("--against", options->against, "hilgate of another build, in alternation with this one")
      ->check(CLI::ExistingFile);
}

}  // namespace

void add_bench(CLI::App& program, Action& action) {
  auto* all = program.add_subcommand("bench", "Measure the gateway on this machine")->require_subcommand(1);
  add_bench_all(*all, action);
  add_bench_windows(*all, action);
  add_bench_links(*all, action);
  add_path_benches(*all, action);
  add_bench_stream(*all, action);
  for (const Bench& bench : benches()) {
    auto* command = all->add_subcommand(std::string(bench.name), std::string(bench.text));
    auto options = std::make_shared<BenchOptions>();
    options->bench = bench.name;
    command->add_flag("--json", options->json, "print JSON");
    command
        ->add_option_function<double>(
            "--seconds",
            [options](double seconds) {
              options->duration = std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
            },
            "total measuring time in seconds [12]")
        ->check(CLI::Range(1.0, 3600.0));
    command->callback([&action, options] { action = [options] { return bench_command(*options); }; });
  }
}

void add_certify(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "certify",
      "Measure what this host can do, as RFC 2544 and CSIT do, beside yardsticks; print a verdict for each figure");
  auto options = std::make_shared<CertifyOptions>();
  const std::map<std::string, bool> lengths{{"short", false}, {"full", true}};
  command
      ->add_option("--length", options->full,
                   "short (at most 2 minutes) or full (all frame sizes, longer trials, about an hour) [short]")
      ->transform(CLI::CheckedTransformer(lengths).description(""));
  command->add_option("--only", options->only,
                      "subject to measure: core, release, wire, live or windows; can be repeated");
  command->add_option("--size", options->sizes, "frame size: 64 to 1518 bytes, or imix; can be repeated");
  command->add_option("--limits", options->limits_file, "file with limits (YAML), KEY: LIMIT; docs/how-to/certify.md");
  command->add_option("--limit", options->limits,
                      "KEY=LIMIT, such as wire.ndr.64=200000 or, of the yardstick, wire.ndr.64=0.8x; can be repeated");
  command->add_option("--json", options->json, "file to write, JSON");
  command->add_option("--html", options->html, "page to write, with plots");
  command->callback([&action, options] { action = [options] { return certify_command(*options); }; });
}

namespace {

template <class Options>
void on_probe(CLI::App& command, const std::shared_ptr<Options>& options, Action& action) {
  command.callback([&action, options] {
    try {
      check_probe(*options);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(error.what());
    }
    action = [options] { return probe_command(*options); };
  });
}

}  // namespace

void add_probe(CLI::App& program, Action& action) {
  auto* probe = program.add_subcommand("probe", "Measure one-way delay and loss between namespaces on this machine")
                    ->require_subcommand(1);
  auto* send = probe->add_subcommand("send", "Send probes at a constant rate");
  auto sending = std::make_shared<ProbeSendOptions>();
  send->add_option("--to", sending->to, "IP address of the receiver")->required();
  send->add_option("--port", sending->port, "UDP port of the receiver")->capture_default_str();
  add_duration(*send, "--interval", sending->interval, "interval between probes [10ms]");
  add_duration(*send, "--duration", sending->duration, "sending time [10s]");
  send->add_option("--size", sending->size, "UDP payload in bytes")->capture_default_str();
  on_probe(*send, sending, action);

  auto* receive = probe->add_subcommand("receive", "Receive one series of probes");
  auto receiving = std::make_shared<ProbeReceiveOptions>();
  receive->add_option("--port", receiving->port, "UDP port")->capture_default_str();
  receive->add_option("--csv", receiving->csv, "output file, one row per probe: sent_s,delay_s,sequence,lost");
  on_probe(*receive, receiving, action);
}

}  // namespace hilgate
