// SPDX-License-Identifier: Apache-2.0
// Arbitrary text as a configuration. It is accepted or refused with a ConfigError whose faults name the file.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gateway/configuration/reader/configuration_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const hilgate::KnownNames known{
      .radios = [](const auto&) { return std::vector<std::string>{"wifi_11n_2g4_adhoc"}; },
      .materials = {"brick", "concrete"},
  };
  try {
    auto document = hilgate::YamlDocument::parse({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
    static_cast<void>(hilgate::read_configuration(document, known));
    document.finish();
  } catch (const hilgate::ConfigError& error) {
    if (error.faults().empty()) {
      std::abort();  // refused, and nobody is told why
    }
    for (const hilgate::Fault& fault : error.faults()) {
      if (fault.file.empty() || fault.text.empty()) {
        std::abort();
      }
    }
  }
  return 0;
}
