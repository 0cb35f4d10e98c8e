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
#include "bench/certify/certify_plan.h"
#include "bench/measured_host.h"
#include "clock/host_now.h"
#include "config/config_file.h"
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

}  // namespace hilgate
