// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frame/id.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

/// The robots as bodies: each has one position, one attitude, one name in the physics simulator and one MAVLink
/// vehicle, and carries one radio or several. A RobotIndex is a radio's; a body is represented by the first of its
/// radios where a RobotIndex stands for it.
class Bodies {
 public:
  /// Requires that the radios of a body follow one another, as in a Configuration.
  explicit Bodies(const std::vector<RobotConfig>& radios);

  [[nodiscard]] std::size_t size() const { return names_.size(); }
  /// In the order of the file, as `robots` has them.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] RobotIndex first_radio(std::size_t body) const { return first_[body]; }
  /// By RobotIndex: the radio's body.
  [[nodiscard]] std::span<const std::uint32_t> of_radios() const { return of_radios_; }
  /// The first radio of the same body.
  [[nodiscard]] RobotIndex representative(RobotIndex radio) const { return first_[of_radios_[radio.value()]]; }
  /// Whether some body carries several radios.
  [[nodiscard]] bool any_shared() const { return of_radios_.size() > names_.size(); }

  /// Values of bodies as values of their radios, by RobotIndex. `values`: one for each body.
  template <class T>
  [[nodiscard]] std::vector<T> spread(const std::vector<T>& values) const {
    std::vector<T> spread;
    for (const std::uint32_t body : of_radios_) {
      spread.push_back(values[body]);
    }
    return spread;
  }

 private:
  std::vector<std::string> names_;
  std::vector<RobotIndex> first_;
  std::vector<std::uint32_t> of_radios_;
};

/// By body: its name in the physics simulator.
std::vector<std::string> names_in_physics(const Configuration& configuration);
/// By RobotIndex: its name in an external network simulator, whose nodes are radios.
std::vector<std::string> names_in_netsim(const Configuration& configuration);

/// Whether both are radios of one body, or the same radio.
inline bool share_body(const RobotConfig& one, const RobotConfig& other) {
  return one.body == other.body;
}

}  // namespace hilgate
