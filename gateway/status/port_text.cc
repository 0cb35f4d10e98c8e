// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/port_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;
using Out = std::back_insert_iterator<std::string>;

void write_line_losses(Out out, const Json& port) {
  if (port.value("lost_line_bytes", std::uint64_t{0}) == 0) {
    return;
  }
  const Json& counts = port["counts"];
  const auto bytes = [&counts](const char* name) { return counts[name].get<std::uint64_t>(); };
  fmt::format_to(out,
                 "{:<12} lost {} of {} B to the radio (buffer full), {} of {} B from it (no program at the terminal)\n",
                 "", bytes("bytes_overflow"), bytes("bytes_in"), bytes("bytes_closed"), bytes("bytes_from_radio"));
}

void write_timestamps(Out out, const Json& port) {
  const Json& stamps = port["release_timestamps"];
  const auto number = [&stamps](const char* key) { return stamps[key].get<std::uint64_t>(); };
  if (stamps["source"] == "none") {
    fmt::format_to(out, "{:<12} no timestamps of frames that leave: {}\n", "", stamps["problem"].get<std::string>());
  } else if (number("count") > 0) {
    fmt::format_to(
        out,
        "{:<12} left after due by p50 {:g} us, p99 {:g} us (upper bounds), max {:g} us, {} early; {} timestamps of "
        "the {}\n",
        "", stamps["error_p50_us"].get<double>(), stamps["error_p99_us"].get<double>(),
        stamps["error_max_us"].get<double>(), number("early"), number("count"), stamps["source"].get<std::string>());
  }
  if (number("missing") + number("unusable") > 0) {
    fmt::format_to(out, "{:<12} of {} timestamps {} are missing and {} unusable\n", "", number("requested"),
                   number("missing"), number("unusable"));
  }
}

void write_arrivals(Out out, const Json& port) {
  const Json& stamps = port["arrival_timestamps"];
  const auto number = [&stamps](const char* key) { return stamps[key].get<std::uint64_t>(); };
  fmt::format_to(out, "{:<12} arrivals by {}{}\n", "", stamps["clock"].get<std::string>(),
                 stamps["source"] == "driver" ? fmt::format(", to within {:g} us", stamps["margin_us"].get<double>())
                                              : ": " + stamps["problem"].get<std::string>());
  if (number("missing") + number("unusable") > 0) {
    fmt::format_to(out, "{:<12} {} arrivals without a timestamp of the NIC, and {} with one that cannot be true\n", "",
                   number("missing"), number("unusable"));
  }
}

void write_launch_time(Out out, const Json& port) {
  const Json& launch = port["launch_time"];
  if (!launch["used"].get<bool>()) {
    fmt::format_to(out, "{:<12} no launch time: {}\n", "", launch["problem"].get<std::string>());
    return;
  }
  const auto unmeasured = launch["unmeasured"].get<std::string>();
  fmt::format_to(out, "{:<12} launch time: given to the device {:g} us before they are due; {}\n", "",
                 launch["lead_us"].get<double>(),
                 unmeasured.empty() ? fmt::format("{} late, {} early", launch["late"].get<std::uint64_t>(),
                                                  launch["early"].get<std::uint64_t>())
                                    : "unmeasured: " + unmeasured);
}

}  // namespace

void write_ports(Out out, const Json& status) {
  fmt::format_to(out, "\n{:<12} {:<15} {:<10} {:<22} {:>8}  {}\n", "port", "interface", "driver", "mode", "largest",
                 "state");
  for (const Json& port : status["ports"]) {
    const auto problem = port["problem"].get<std::string>();
    fmt::format_to(out, "{:<12} {:<15} {:<10} {:<22} {:>6} B  {}{}\n", port["name"].get<std::string>(),
                   port["interface"].get<std::string>(), port["driver"].get<std::string>(),
                   port["mode"].get<std::string>(), port["largest_frame"].get<std::uint32_t>(),
                   port["state"].get<std::string>(), problem.empty() ? "" : ": " + problem);
    write_line_losses(out, port);
    write_arrivals(out, port);
    write_timestamps(out, port);
    write_launch_time(out, port);
  }
}

}  // namespace hilgate
