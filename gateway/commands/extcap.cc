// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "gateway/commands/capture.h"
#include "gateway/commands/command_line.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"

// Wireshark's way to programs that capture for it (extcap; wireshark's doc/extcap.adoc): running gateways and their
// links are in its list of interfaces.

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

namespace {

constexpr const char* kPrefix = "hilgate:";  // of interfaces, which share one list with all others
constexpr std::chrono::seconds kStatusPatience{2};

// Links only of runs that this user may ask.
void print_links(const std::string& run) {
  try {
    const auto status = control_request(control_socket(run), {{"command", "status"}}, kStatusPatience);
    for (const auto& link : status.at("links")) {
      const auto from = link.at("from").get<std::string>();
      const auto to = link.at("to").get<std::string>();
      fmt::print("interface {{value={0}{1}:{2}>{3}}}{{display=hilgate {1}: {2} to {3}}}\n", kPrefix, run, from, to);
    }
  } catch (const std::runtime_error&) {
    return;
  }
}

int print_interfaces(const std::string& version) {
  fmt::print("extcap {{version={}}}{{display=hilgate: frames of a running gateway}}\n", version);
  for (const std::string& run : runs_of_this_machine()) {
    if (!is_listened_to(control_socket(run))) {
      continue;  // of a gateway that was killed: there is nothing to capture
    }
    fmt::print("interface {{value={0}{1}}}{{display=hilgate {1}}}\n", kPrefix, run);
    print_links(run);
  }
  return 0;
}

int print_link_types() {
  fmt::print("dlt {{number=1}}{{name=EN10MB}}{{display=Ethernet}}\n");
  return 0;
}

int print_settings() {
  fmt::print(
      "arg {{number=0}}{{call=--snaplen}}{{display=Bytes of each frame}}{{type=unsigned}}{{range=1,65535}}"
      "{{default=65535}}{{tooltip=Longer frames are cut}}\n");
  return 0;
}

// RUN or RUN:FROM>TO; no name of a run has a colon.
CaptureOptions capture_of(const ExtcapOptions& options) {
  std::string name = options.interface;
  if (!name.starts_with(kPrefix)) {
    throw std::runtime_error(fmt::format("'{}' is no interface of hilgate's; they begin with {}", name, kPrefix));
  }
  name.erase(0, std::char_traits<char>::length(kPrefix));
  CaptureOptions capture;
  capture.run = name.substr(0, name.find(':'));
  capture.file = options.fifo;
  capture.snaplen = options.snaplen;
  if (const std::size_t at = name.find(':'); at != std::string::npos) {
    capture.links.push_back(name.substr(at + 1));
  }
  capture.filter = options.filter;
  return capture;
}

}  // namespace

// `hilgate extcap`. Returns the exit status. Throws as capture_command().
int extcap_command(const ExtcapOptions& options) {
  if (options.interfaces) {
    return print_interfaces(options.version);
  }
  if (options.link_types) {
    return print_link_types();
  }
  if (options.settings) {
    return print_settings();
  }
  if (!options.capture) {
    // Wireshark has a filter checked before it captures: an exit status of 0 and no output is a good one.
    try {
      check_capture(capture_of(options));
    } catch (const std::invalid_argument& error) {
      fmt::print("{}\n", error.what());
    }
    return 0;
  }
  const CaptureOptions capture = capture_of(options);
  check_capture(capture);
  return capture_command(capture);
}

void add_extcap(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("extcap", "What Wireshark asks programs that capture for it")->group("");
  auto options = std::make_shared<ExtcapOptions>();
  options->version = HILGATE_VERSION;
  command->add_flag("--extcap-interfaces", options->interfaces, "list running gateways and their links");
  command->add_flag("--extcap-dlts", options->link_types, "list link types of the interface");
  command->add_flag("--extcap-config", options->settings, "list settings of the interface");
  command->add_flag("--capture", options->capture, "capture from the interface");
  command->add_option("--extcap-interface", options->interface, "hilgate:RUN or hilgate:RUN:FROM>TO");
  command->add_option("--fifo", options->fifo, "FIFO that Wireshark reads");
  command->add_option("--extcap-capture-filter", options->filter, "filter of libpcap's");
  command->add_option("--snaplen", options->snaplen, "bytes to keep of each frame")->check(CLI::Range(1, 65535));
  command->add_option("--extcap-version", "version of Wireshark");
  command->add_option("--extcap-reload-option", "setting whose choices are asked for again");
  command->callback([&action, options] { action = [options] { return extcap_command(*options); }; });
}

}  // namespace hilgate
