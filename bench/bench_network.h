// SPDX-License-Identifier: Apache-2.0
// Two robots and a namespace for the gateway between them, for benches: network namespaces without a name, which the
// kernel removes with the last process and descriptor that holds them, however the program ends.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "host/file_descriptor.h"
#include "host/netns.h"

namespace hilgate {

// Where traffic of a bench begins and ends, whatever lies between.

/// Robot n of a bench sends and receives at an interface of a namespace. Robot 0 is the sender of streams.
class BenchEnds {
 public:
  static constexpr std::size_t kRobots = 2;
  struct End {
    FileDescriptor netns;
    std::string interface;
  };

  BenchEnds(End sender, End receiver) : ends_{std::move(sender), std::move(receiver)} {}

  /// The calling thread moves there until the end of the scope.
  [[nodiscard]] NetnsScope enter_robot(std::size_t n) const { return NetnsScope(ends_.at(n).netns); }
  [[nodiscard]] const std::string& robot_end(std::size_t n) const { return ends_.at(n).interface; }

 protected:
  [[nodiscard]] int robot_netns(std::size_t n) const { return ends_.at(n).netns.get(); }

 private:
  std::array<End, kRobots> ends_;
};

/// Robot n is plugged in at port(n) of the gateway's namespace; its own end is kRobotEnd. Ends are set up as
/// `hilgate lab up` does it: no offloads, nothing speaks unasked, no addresses.
class BenchNetwork : public BenchEnds {
 public:
  static constexpr const char* kRobotEnd = "eth0";

  /// Throws std::runtime_error.
  BenchNetwork();

  /// The calling thread moves there until the end of the scope.
  [[nodiscard]] NetnsScope enter_gateway() const { return NetnsScope(gateway_); }
  [[nodiscard]] static std::string port(std::size_t n) { return "hg-robot" + std::to_string(n); }

 private:
  void plug_in(std::size_t n) const;

  FileDescriptor gateway_;
};

/// A bridge of the kernel between the ports, as long as it lives. They must have no other use meanwhile.
class BenchBridge {
 public:
  explicit BenchBridge(const BenchNetwork& network);
  ~BenchBridge();
  BenchBridge(const BenchBridge&) = delete;
  BenchBridge& operator=(const BenchBridge&) = delete;

 private:
  const BenchNetwork* network_;
};

}  // namespace hilgate
