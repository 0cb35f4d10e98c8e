// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include "gateway/commands/command_line.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/replay/captured_frames.h"
#include "gateway/replay/sweep.h"

namespace hilgate {

struct SweepOptions {
  std::filesystem::path file;
  SweepPlan plan{};  // without jobs: 0 is as many as there are processors
  bool json = false;
  std::string version{};  // of the program, for records
};

namespace {

constexpr const char* kCopies = "copies.csv";  // in the folder of all copies

std::string set_text(const std::vector<std::string>& set) {
  return fmt::format("{}", fmt::join(set, " "));
}

nlohmann::ordered_json interval_json(const SampleInterval& interval) {
  return {{"mean", interval.mean}, {"low", interval.low}, {"high", interval.high}};
}

nlohmann::ordered_json sweep_json(const Sweep& sweep) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Sweep::Row& row : sweep.rows()) {
    rows.push_back({{"values", sweep.sets[row.set]},
                    {"from", row.from},
                    {"to", row.to},
                    {"copies", row.copies},
                    {"in", row.deliveries},
                    {"loss", interval_json(row.loss)},
                    {"delay_ms", interval_json(row.delay_ms)}});
  }
  nlohmann::ordered_json copies = nlohmann::ordered_json::array();
  for (const SweepCopy& copy : sweep.copies) {
    nlohmann::ordered_json links = nlohmann::ordered_json::array();
    for (const CopyLink& link : copy.links) {
      links.push_back(link.json());
    }
    copies.push_back({{"values", sweep.sets[copy.set]},
                      {"seed", copy.seed},
                      {"record", copy.folder.string()},
                      {"links", std::move(links)}});
    if (!copy.failure.empty()) {
      copies.back()["failure"] = copy.failure;
    }
  }
  return {{"links", std::move(rows)}, {"copies", std::move(copies)}};
}

std::string quoted_cell(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text) {
    cell += c;
    cell += c == '"' ? "\"" : "";
  }
  return cell + "\"";
}

void write_copies(const Sweep& sweep, const std::filesystem::path& folder) {
  std::ofstream out(folder / kCopies);
  out << "values,seed,from,to,in,released,loss,delay_ms\n";
  for (const SweepCopy& copy : sweep.copies) {
    for (const CopyLink& link : copy.links) {
      out << fmt::format("{},{},{},{},{},{},{:.6g},{:.6g}\n", quoted_cell(set_text(sweep.sets[copy.set])), copy.seed,
                         link.from, link.to, link.deliveries, link.released, link.loss(), link.delay_ms);
    }
  }
  out.close();
  if (!out) {
    throw std::system_error(errno, std::generic_category(), (folder / kCopies).string());
  }
}

void print_table(const Sweep& sweep) {
  std::size_t last = sweep.sets.size();
  fmt::print("{:<24}{:>7}{:>11}  {:>9}  {:<22}{:>11}  {}\n", "link", "copies", "frames", "loss %", "95 % interval",
             "delay ms", "95 % interval");
  for (const Sweep::Row& row : sweep.rows()) {
    if (row.set != last && !sweep.sets[row.set].empty()) {
      fmt::print("{}\n", set_text(sweep.sets[row.set]));
    }
    last = row.set;
    fmt::print("{:<24}{:>7}{:>11}  {:>9.4f}  {:<22}{:>11.3f}  {}\n", row.from + ">" + row.to, row.copies,
               row.deliveries, 100 * row.loss.mean,
               fmt::format("{:.4f} to {:.4f}", 100 * row.loss.low, 100 * row.loss.high), row.delay_ms.mean,
               fmt::format("{:.3f} to {:.3f}", row.delay_ms.low, row.delay_ms.high));
  }
}

}  // namespace

// `hilgate sweep`: runs copies of a configuration and prints what they have in common. 1 when a copy failed. Throws
// ConfigError and std::runtime_error for what no copy could run.
int sweep_command(const SweepOptions& options) {
  SweepPlan plan = options.plan;
  if (plan.jobs == 0) {
    plan.jobs = std::max(1U, std::thread::hardware_concurrency());
  }
  if (!plan.frames.empty()) {
    const CaptureCount count = count_frames(ConfigDocument::load(options.file).read(known_names()), plan.frames);
    if (count.foreign) {
      fmt::print(stderr, "{}: {}\n", plan.frames.string(), count.text());
    }
  }
  const Sweep sweep = run_sweep(ConfigDocument::load(options.file), plan, {.version = options.version, .host = {}});
  write_copies(sweep, plan.folder);
  if (options.json) {
    fmt::print("{}\n", sweep_json(sweep).dump());
  } else {
    print_table(sweep);
  }
  for (const SweepCopy& copy : sweep.copies) {
    if (!copy.failure.empty()) {
      fmt::print(stderr, "{}: {}\n", copy.folder.string(), copy.failure);
    }
  }
  return sweep.failed() > 0 ? 1 : 0;
}

void add_sweep(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "sweep", "Run copies of a configuration with other seeds and values side by side, without ports and clock");
  auto options = std::make_shared<SweepOptions>();
  options->version = HILGATE_VERSION;
  options->plan.jobs = 0;
  SweepPlan& plan = options->plan;
  command->add_option("FILE", options->file, "configuration file (YAML)")->required();
  command->add_option("--seeds", plan.seeds, "copies of each set of values")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command->add_option("--first-seed", plan.first_seed, "seed of the first of them")->capture_default_str();
  command->add_option("--set", plan.values,
                      "KEY=A,B,C: a key as of `hilgate set`, and its values; several: all combinations");
  command->add_option("-o,--output", plan.folder, "folder for the copies' records and copies.csv; it is made")
      ->required();
  auto* frames = command->add_option(
      "--frames", plan.frames,
      "capture of a run, or of another program on one interface (robots by MAC or IP address): its frames "
      "come in; default: every robot sends to every other");
  const auto made = [&](CLI::Option* option) { option->excludes(frames); };
  add_duration(*command, "--interval", plan.traffic.interval, "between two frames of a link [10ms]");
  add_duration(*command, "--duration", plan.traffic.length, "for how long they are sent [10s]");
  made(command->add_option("--size", plan.traffic.bytes, "bytes of a frame")
           ->check(CLI::Range(60, 9000))
           ->capture_default_str());
  made(command->get_option("--interval"));
  made(command->get_option("--duration"));
  command->add_flag("--capture", plan.capture, "each copy with a capture, frames.pcapng");
  command->add_option("--jobs", plan.jobs, "copies at a time; default: as many as there are processors")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&action, options] { action = [options] { return sweep_command(*options); }; });
}

}  // namespace hilgate
