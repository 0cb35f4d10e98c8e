// SPDX-License-Identifier: Apache-2.0
#include "bench/certify/certify.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>

#include "bench/certify/certificate.h"
#include "bench/measured_host.h"
#include "clock/host_now.h"
#include "config/config_file.h"
#include "config/nearest.h"
#include "config/quantity.h"
#include "config/yaml_reader.h"
#include "host/process.h"
#include "hw/doctor/doctor.h"

namespace hilgate {
namespace {

/// A file to write at the end, opened at the beginning, so that a long measurement does not end with a write error.
class Output {
 public:
  Output(const char* option, const std::string& file) : file_(file) {
    if (!file.empty()) {
      stream_.open(file);
      if (!stream_) {
        throw ConfigError({{"certify", 0, option, fmt::format("'{}' cannot be written", file)}});
      }
    }
  }
  void write(const std::string& text) {
    if (!file_.empty() && !(stream_ << text << std::flush)) {
      throw std::runtime_error(fmt::format("certify: '{}' cannot be written", file_));
    }
  }

 private:
  std::string file_;
  std::ofstream stream_;
};

nlohmann::ordered_json describe_host() {
  nlohmann::ordered_json host = measured_host();
  host["ports"] = "veth, AF_XDP";
  host["checks"] = findings_json(examine_host(nullptr)).at("checks");
  return host;
}

nlohmann::ordered_json describe_method(const CertifyPlan& plan) {
  const CertifyForm& form = plan.form;
  return {{"rounds", kCertifyRounds},
          {"sizes", plan.sizes},
          {"trial_ms", microseconds_of(form.trial) / 1000},
          {"core_trial_ms", microseconds_of(form.core_trial) / 1000},
          {"precision", form.precision},
          {"delays_ms", microseconds_of(form.delays) / 1000},
          {"kills", form.kills},
          {"releases", form.releases}};
}

/// The rounds, and what came of them.
class Rounds {
 public:
  explicit Rounds(const CertifyPlan& plan) : plan_(plan), reasons_(plan.subjects.size()) {}

  void run(const HeldSignals& signals) {
    const HostTime deadline = host_now() + plan_.form.most;
    const auto is_over = [&] { return signals.pending() || host_now() > deadline; };
    for (std::size_t round = 0; round < kCertifyRounds && !stopped_; ++round) {
      for (std::size_t i = 0; i < plan_.subjects.size() && !stopped_; ++i) {
        if (round == 0 || !gave_up_[i]) {
          measure(i, round, is_over);
        }
      }
    }
    interrupted_ = signals.pending();
    if (stopped_) {
      note_everywhere(interrupted_ ? "interrupted" : "the time of this form was over");
    }
  }

  [[nodiscard]] bool interrupted() const { return interrupted_; }
  [[nodiscard]] const CertifySamples& samples() const { return samples_; }
  [[nodiscard]] std::vector<CertifyLine> lines() const {
    std::vector<CertifyLine> lines;
    for (std::size_t i = 0; i < plan_.figures.size(); ++i) {
      for (const CertifyFigure& figure : plan_.figures[i]) {
        lines.push_back(judge(figure, samples_, reasons_[i]));
      }
    }
    return lines;
  }

 private:
  void measure(std::size_t subject, std::size_t round, const std::function<bool()>& is_over) {
    if (::isatty(STDERR_FILENO) != 0) {
      fmt::print(stderr, "round {} of {}: {}\n", round + 1, kCertifyRounds, plan_.subjects[subject].name);
    }
    const std::size_t before = samples_.size();
    const CertifyRound what{plan_.form, plan_.sizes, samples_};
    const ChildEnd end = run_measuring_child([&](const CertifySay& say) { plan_.subjects[subject].measure(what, say); },
                                             is_over, samples_);
    stopped_ = end.stopped;
    if (!end.failure.empty()) {
      reasons_[subject] = end.failure;
      gave_up_[subject] = samples_.size() == before && round == 0;  // it would not be better the next time
    }
  }
  void note_everywhere(const std::string& reason) {
    for (std::string& one : reasons_) {
      one = one.empty() ? reason : one;
    }
  }

  const CertifyPlan& plan_;
  CertifySamples samples_;
  std::vector<std::string> reasons_;
  std::vector<bool> gave_up_ = std::vector<bool>(kCertifySubjects.size());
  bool stopped_ = false;
  bool interrupted_ = false;
};

}  // namespace

int certify_command(const CertifyOptions& options) {
  const CertifyPlan plan = certify_plan(options);
  Output json("--json", options.json);
  Output html("--html", options.html);
  const HeldSignals signals;
  const HostTime start = host_now();
  Certificate certificate{.form = std::string(plan.form.name),
                          .began = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
                          .seconds = 0,
                          .interrupted = false,
                          .host = describe_host(),
                          .method = describe_method(plan),
                          .lines = {},
                          .samples = {}};
  Rounds rounds(plan);
  rounds.run(signals);
  certificate.seconds = seconds_of(host_now() - start);
  certificate.interrupted = rounds.interrupted();
  certificate.lines = rounds.lines();
  certificate.samples = rounds.samples();
  fmt::print("{}", certificate_text(certificate));
  std::fflush(stdout);
  json.write(certificate_json(certificate).dump(1) + "\n");
  html.write(certificate_page(certificate));
  return certificate.status();
}

namespace {

using namespace std::chrono_literals;

class Faults {
 public:
  void add(const std::string& path, const std::string& text) { faults_.push_back({"certify", 0, path, text}); }
  void finish() const {
    if (!faults_.empty()) {
      throw ConfigError(faults_);
    }
  }

 private:
  std::vector<Fault> faults_;
};

std::vector<CertifySubject> subjects_of(const CertifyOptions& options, Faults& faults) {
  std::vector<std::string> known;
  for (const CertifySubject& subject : kCertifySubjects) {
    known.emplace_back(subject.name);
  }
  for (const std::string& word : options.only) {
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      faults.add("--only", fmt::format("'{}' is no subject; {}", word, hint_for(word, known)));
    }
  }
  std::vector<CertifySubject> subjects;
  for (const CertifySubject& subject : kCertifySubjects) {
    if (options.only.empty() ||
        std::find(options.only.begin(), options.only.end(), subject.name) != options.only.end()) {
      subjects.push_back(subject);
    }
  }
  return subjects;
}

bool is_size(const std::string& word) {
  try {
    return word == "imix" || parse_whole(word, 64, 1518) > 0;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

std::vector<std::string> sizes_of(const CertifyOptions& options, const CertifyForm& form, Faults& faults) {
  for (const std::string& size : options.sizes) {
    if (!is_size(size)) {
      faults.add("--size", fmt::format("'{}': allowed are 64 to 1518 bytes, and imix", size));
    }
  }
  return options.sizes.empty() ? form.sizes : options.sizes;
}

/// Gives figures the limits that people ask for.
class Limits {
 public:
  explicit Limits(CertifyPlan& plan) {
    for (auto& figures : plan.figures) {
      for (CertifyFigure& figure : figures) {
        by_key_[figure.key] = &figure.limit;
        known_.push_back(figure.key);
      }
    }
  }
  /// Throws std::invalid_argument.
  void set(const std::string& key, const std::string& text) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) {
      throw std::invalid_argument(fmt::format("no figure '{}' is measured; {}", key, hint_for(key, known_)));
    }
    *found->second = read_limit(*found->second, text);
  }

 private:
  std::map<std::string, CertifyLimit*> by_key_;
  std::vector<std::string> known_;
};

void read_file(const std::string& file, Limits& limits) {
  YamlDocument document = YamlDocument::load(file);
  for (auto& [key, value] : document.root().entries()) {
    try {
      limits.set(key, value.as<std::string>());
    } catch (const std::invalid_argument& error) {
      value.fault(error.what());
    }
  }
  document.finish();
}

void read_words(const std::vector<std::string>& words, Limits& limits, Faults& faults) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    try {
      if (equals == std::string::npos) {
        throw std::invalid_argument(fmt::format("'{}' is no KEY=LIMIT", word));
      }
      limits.set(word.substr(0, equals), word.substr(equals + 1));
    } catch (const std::invalid_argument& error) {
      faults.add("--limit", error.what());
    }
  }
}

}  // namespace

const CertifyForm& certify_form(bool full) {
  static const CertifyForm kShort{.name = "short",
                                  .sizes = {"64", "1518", "imix"},
                                  .core_trial = 20ms,
                                  .trial = 30ms,
                                  .precision = 0.03,
                                  .delays = 150ms,
                                  .kills = 3,
                                  .change = 300ms,
                                  .releases = 50'000,
                                  .windows = 200ms,
                                  .most = 115s};
  static const CertifyForm kFull{.name = "full",
                                 .sizes = {"64", "128", "256", "512", "1024", "1280", "1518", "imix"},
                                 .core_trial = 200ms,
                                 .trial = 1s,
                                 .precision = 0.01,
                                 .delays = 5s,
                                 .kills = 20,
                                 .change = 2s,
                                 .releases = 1'000'000,
                                 .windows = 2s,
                                 .most = 4h};
  return full ? kFull : kShort;
}

CertifyPlan certify_plan(const CertifyOptions& options) {
  Faults faults;
  const CertifyForm& form = certify_form(options.full);
  CertifyPlan plan{form, sizes_of(options, form, faults), subjects_of(options, faults), {}};
  faults.finish();
  for (const CertifySubject& subject : plan.subjects) {
    plan.figures.push_back(subject.figures(plan.sizes));
  }
  Limits limits(plan);
  if (!options.limits_file.empty()) {
    read_file(options.limits_file, limits);
  }
  read_words(options.limits, limits, faults);
  faults.finish();
  return plan;
}

}  // namespace hilgate
