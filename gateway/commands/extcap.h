// SPDX-License-Identifier: Apache-2.0
// Wireshark's way to programs that capture for it (extcap; wireshark's doc/extcap.adoc): running gateways and their
// links are in its list of interfaces.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace hilgate {

struct ExtcapOptions {
  bool interfaces = false;  // which there are
  bool link_types = false;  // of the interface
  bool settings = false;    // of the interface, that people may set
  bool capture = false;     // from the interface into the FIFO
  std::string interface;    // RUN or RUN:FROM>TO
  std::filesystem::path fifo;
  std::string filter;  // an expression of libpcap's; empty: all
  std::uint32_t snaplen = 65535;
  std::string version;  // of the program, for people
};

/// `hilgate extcap`. Returns the exit status. Throws as capture_command().
int extcap_command(const ExtcapOptions& options);

}  // namespace hilgate
