// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/sweep.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "config/assignment_key.h"
#include "gateway/configuration/reader/installed_names.h"
#include "host/file_descriptor.h"
#include "host/shared_files.h"

namespace hilgate {
namespace {

constexpr SampleInterval::Limits kShares{0, 1};
constexpr SampleInterval::Limits kDelays{0, std::numeric_limits<double>::infinity()};
constexpr const char* kResult = "result.json";  // in the folder of a copy: its result for the sweep

// Of "a,[b,c],d" the three.
std::vector<std::string> choices(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    }
    depth += quote == 0 && (c == '[' || c == '{') ? 1 : 0;
    depth -= quote == 0 && (c == ']' || c == '}') ? 1 : 0;
    if (c == ',' && depth == 0 && quote == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// A copy with what it runs.
struct PlannedCopy {
  Configuration configuration;
  std::string text;
};

PlannedCopy planned(const ConfigDocument& document, const std::vector<std::string>& set, std::uint64_t seed) {
  // Path time is simulated time, without observers.
  std::vector<std::string> values{"pace=wall", "dilate=", "follow=", "scenario=", "capture=", "web="};
  values.insert(values.end(), set.begin(), set.end());
  values.push_back(fmt::format("seed={}", seed));
  const ConfigDocument copy = document.with(values);
  Configuration configuration = copy.read(known_names());
  check_copy(configuration);
  return {.configuration = std::move(configuration), .text = copy.value("") + "\n"};
}

std::string folder_name(const Sweep& sweep, const SweepCopy& copy) {
  return sweep.sets.size() == 1 ? fmt::format("seed-{}", copy.seed)
                                : fmt::format("set-{}-seed-{}", copy.set + 1, copy.seed);
}

void write_result(const std::filesystem::path& folder, const nlohmann::ordered_json& json) {
  std::ofstream(folder / kResult) << json.dump() << "\n";
}

// In a process of its own; the exit status shows whether there is a result.
int run_planned(const PlannedCopy& planned, const SweepCopy& copy, const SweepPlan& plan, const RunIdentity& identity) {
  try {
    const auto frames = plan.frames.empty() ? made_frames(planned.configuration, plan.traffic)
                                            : captured_frames(planned.configuration, plan.frames);
    nlohmann::ordered_json links = nlohmann::ordered_json::array();
    for (const CopyLink& link :
         run_copy({.sources = {planned.configuration, planned.text}, .folder = copy.folder, .capture = plan.capture},
                  *frames, identity)) {
      links.push_back(link.json());
    }
    write_result(copy.folder, {{"links", links}});
    return 0;
  } catch (const std::exception& error) {
    write_result(copy.folder, {{"failure", error.what()}});
    return 1;
  }
}

void take_result(SweepCopy& copy, int status) {
  const std::filesystem::path file = copy.folder / kResult;
  const auto json = nlohmann::ordered_json::parse(std::ifstream(file), nullptr, false);
  std::filesystem::remove(file);
  if (WIFSIGNALED(status)) {
    copy.failure = fmt::format("it was ended by signal {}", WTERMSIG(status));
  } else if (!json.is_object() || !json.contains("links")) {
    copy.failure = json.is_object() ? json.value("failure", "") : "it has left no result; is the disk full?";
  } else {
    for (const auto& link : json.at("links")) {
      copy.links.push_back(CopyLink::of(link));
    }
  }
}

/// Copies as processes, some at a time.
class CopyProcesses {
 public:
  void start(SweepCopy& copy, const std::function<int()>& run) {
    const pid_t parent = ::getpid();
    const pid_t child = checked(::fork(), "start a copy");
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::_exit(::getppid() == parent ? run() : 1);
    }
    running_[child] = &copy;
  }
  void wait_for_one() {
    int status = 0;
    pid_t ended = 0;
    do {
      ended = ::waitpid(-1, &status, 0);
    } while ((ended < 0 && errno == EINTR) || (ended > 0 && !running_.contains(ended)));
    const auto found = running_.find(checked(ended, "wait for a copy"));
    take_result(*found->second, status);
    running_.erase(found);
  }
  [[nodiscard]] std::size_t running() const { return running_.size(); }

 private:
  std::map<pid_t, SweepCopy*> running_;
};

}  // namespace

std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& values) {
  std::vector<std::vector<std::string>> sets(1);
  for (const std::string& value : values) {
    const std::size_t equals = end_of_key(value);
    if (equals == 0 || equals == std::string::npos) {
      throw std::runtime_error(
          fmt::format("--set: '{}' is not of the form KEY=A,B,C; example: links.red.blue.loss='1 %,5 %'", value));
    }
    std::vector<std::vector<std::string>> longer;
    for (const auto& set : sets) {
      for (const std::string& choice : choices(value.substr(equals + 1))) {
        longer.push_back(set);
        longer.back().push_back(value.substr(0, equals + 1) + choice);
      }
    }
    sets = std::move(longer);
  }
  return sets;
}

Sweep run_sweep(const ConfigDocument& document, const SweepPlan& plan, const RunIdentity& identity) {
  Sweep sweep{.sets = combinations(plan.values), .copies = {}};
  for (std::size_t set = 0; set < sweep.sets.size(); ++set) {
    static_cast<void>(planned(document, sweep.sets[set], plan.first_seed));  // throws its faults before any copy runs
    for (std::uint64_t seed = 0; seed < plan.seeds; ++seed) {
      sweep.copies.push_back({.set = set, .seed = plan.first_seed + seed});
    }
  }
  CopyProcesses processes;
  for (SweepCopy& copy : sweep.copies) {
    const PlannedCopy next = planned(document, sweep.sets[copy.set], copy.seed);
    copy.folder = plan.folder / folder_name(sweep, copy);
    if (std::filesystem::exists(copy.folder / kRecordFile)) {
      throw std::runtime_error(
          fmt::format("{}: has a record already; name another folder with --output", copy.folder.string()));
    }
    make_group_folders(copy.folder);
    if (processes.running() == plan.jobs) {
      processes.wait_for_one();
    }
    processes.start(copy, [&] { return run_planned(next, copy, plan, identity); });
  }
  while (processes.running() > 0) {
    processes.wait_for_one();
  }
  return sweep;
}

std::vector<Sweep::Row> Sweep::rows() const {
  struct Samples {
    std::uint64_t deliveries = 0;
    std::vector<double> losses{}, delays{};
  };
  std::vector<Row> rows;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    std::map<std::pair<std::string, std::string>, Samples> samples;
    for (const SweepCopy& copy : copies) {
      for (const CopyLink& link : copy.set == set ? copy.links : std::vector<CopyLink>{}) {
        Samples& of_link = samples[{link.from, link.to}];
        of_link.deliveries += link.deliveries;
        of_link.losses.push_back(link.loss());
        if (link.released > 0) {
          of_link.delays.push_back(link.delay_ms);
        }
      }
    }
    for (const auto& [ends, of_link] : samples) {
      rows.push_back(
          {.set = set,
           .from = ends.first,
           .to = ends.second,
           .copies = of_link.losses.size(),
           .deliveries = of_link.deliveries,
           .loss = SampleInterval::of(of_link.losses, kShares),
           .delay_ms = of_link.delays.empty() ? SampleInterval{} : SampleInterval::of(of_link.delays, kDelays)});
    }
  }
  return rows;
}

std::size_t Sweep::failed() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(copies, [](const SweepCopy& copy) { return !copy.failure.empty(); }));
}

}  // namespace hilgate
