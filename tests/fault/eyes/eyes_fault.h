// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/fault/eyes/hostile_crowd.h"
#include "tests/fault/live/live_fault.h"

namespace hilgate::test {

/// A server through which people look at a run.
struct Eyes {
  const char* name;
  std::vector<std::string> command;  // of hilgate, with RUN for the run
  const char* path;                  // of what is asked of it
  const char* right;                 // is in a right answer
  std::string dearest = {};          // a whole request for what costs it most; empty: for the path
};

inline void PrintTo(const Eyes& eyes, std::ostream* out) {
  *out << eyes.name;
}

/// A gateway of cables and such a server beside it, which hostile clients come to.
class EyesFault : public LiveFault, public testing::WithParamInterface<Eyes> {
 protected:
  void SetUp() override;
  static void TearDownTestSuite();

  /// While the crowd does what it does, the server goes on answering curl within the time that Prometheus gives it,
  /// with memory and descriptors that have an end; neither the gateway nor robots notice. Records it.
  void suffer(const std::string& fault, const std::string& promise, const Manner& manner);
  /// A request for what is asked of this server, without the empty line at its end.
  [[nodiscard]] static std::string request(const std::string& path = GetParam().path);

 private:
  /// How long the answer took.
  static std::chrono::nanoseconds answer();

  static std::unique_ptr<Process> server_;
  static std::uint16_t port_;
};

}  // namespace hilgate::test
