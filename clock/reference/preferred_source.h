// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "clock/reference/reference_source.h"

namespace hilgate {

/// Several sources in order of preference. The first that has given a sample lately is followed; the others are asked
/// all the same, so that changing over takes no time. A source must be silent for `patience` to lose its turn.
class PreferredSource final : public ReferenceSource {
 public:
  PreferredSource(std::vector<std::unique_ptr<ReferenceSource>> sources, Nanoseconds patience);

  [[nodiscard]] std::string describe() const override;
  ReferenceReading read() override;

 private:
  struct Member {
    std::unique_ptr<ReferenceSource> source;
    std::optional<HostTime> last_sample;
  };
  std::vector<Member> members_;
  Nanoseconds patience_;
  std::size_t followed_ = 0;
};

}  // namespace hilgate
