// SPDX-License-Identifier: Apache-2.0
#include "bench/certify/certify_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "config/nearest.h"
#include "config/quantity.h"
#include "config/yaml_reader.h"

namespace hilgate {
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
