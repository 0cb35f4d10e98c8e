// SPDX-License-Identifier: Apache-2.0
// Any text as a radio profile: accepted, or refused with faults that say where.
#include "config/config_file.h"
#include "rf_profiles/profile/profile_loader.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  try {
    (void)parse_radio_profile(std::string(reinterpret_cast<const char*>(data), size), "fuzz.yaml");
  } catch (const ConfigError& error) {
    test::require(!error.faults().empty(), "who is refused is told why");
    for (const Fault& fault : error.faults()) {
      test::require(!fault.file.empty() && !fault.text.empty(), "a fault has a place and a text");
    }
  }
  return 0;
}
