// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/status_parts.h"

#include <fmt/format.h>

namespace hilgate {
namespace {

using Json = StatusJson;

std::string version_of(const PeerReport& report) {
  std::string text;
  for (const char c : report.version) {
    if (c < ' ' || c > '~') {
      break;
    }
    text += c;
  }
  return text;
}

SiteGatewayStatus gateway_status(const SiteReport::Peer& peer) {
  const PeerReport& report = peer.report;
  return {.name = peer.name,
          .address = peer.address,
          .state = name(report.state),
          .silent = report.silent,
          .clock_offset = {report.clock_offset},
          .version = version_of(report),
          .digest = fmt::format("{:016x}", report.digest),
          .sent = report.sent,
          .received = report.received,
          .late = report.late,
          .request_way = report.request_way,
          .late_p99 = report.late_by.quantile(0.99),
          .lost = report.lost,
          .way_p50 = report.way.quantile(0.5),
          .way_p99 = report.way.quantile(0.99)};
}

std::vector<SiteMediumStatus> media_status(const SiteReport& report) {
  std::vector<SiteMediumStatus> media;
  for (const SiteReport::Medium& medium : report.media) {
    SiteMediumStatus& added = media.emplace_back(SiteMediumStatus{.name = medium.name,
                                                                  .decided_at = {},
                                                                  .decided_here = medium.decider == report.gateway,
                                                                  .gateways = medium.gateways});
    if (!medium.decider.empty()) {
      added.decided_at.value = medium.decider;
    }
  }
  return media;
}

std::string media_text(const Json& site) {
  std::string text;
  for (const Json& medium : site["media"]) {
    const Json& at = medium["decided_at"];
    text += fmt::format("  medium {}: decided at {}\n", medium["name"].get<std::string>(),
                        at.is_null() ? "no gateway: none has a simulator that answers" : at.get<std::string>());
  }
  if (!text.empty()) {
    text += fmt::format("  frames to be decided: {} to other gateways, {} from them, {:.0f} us after capture (p99)\n",
                        site["requests_sent"].get<std::uint64_t>(), site["requests_taken"].get<std::uint64_t>(),
                        site["request_way_p99_us"].get<double>());
  }
  return text;
}

std::string air_text(const Json& site) {
  if (!site.contains("air")) {
    return {};
  }
  const Json& air = site["air"];
  const bool judged = air["decides"] == "frames";
  std::string by;
  if (!air["author"].is_null()) {
    by = fmt::format("as the simulators at {} say", air["author"].get<std::string>());
  } else if (judged) {
    by = "no gateway has a network simulator that answers, they are dropped";
  } else {
    by = "no gateway has a simulator that answers, the last states stay";
  }
  return fmt::format("  {}: {}; {} changes of author, {} windows without its update\n",
                     air["decides"].get<std::string>(), by, air["changes"].get<std::uint64_t>(),
                     air["without_word"].get<std::uint64_t>());
}

// What it reports about itself.
std::string gateway_text(const Json& peer) {
  if (!peer.contains("commands")) {
    return {};
  }
  if (!peer["commands"].get<bool>()) {
    return "    not received by DDS: `set` and `reload` are refused\n";
  }
  return fmt::format("    run {}, window {} ({} missed), clock {}; in {}, out {}, dropped {}; changes {}\n",
                     peer.value("run", std::string("?")), peer.value("window", std::uint64_t{0}),
                     peer.value("windows_missed", std::uint64_t{0}), peer.value("clock", std::string("?")),
                     peer.value("in", std::uint64_t{0}), peer.value("out", std::uint64_t{0}),
                     peer.value("dropped", std::uint64_t{0}), peer.value("changes", std::uint64_t{0}));
}

}  // namespace

SiteStatus site_status(const SiteReport& report, const PathTotals& totals) {
  SiteStatus status{.name = report.site,
                    .gateway = report.gateway,
                    .version = report.version,
                    .digest = fmt::format("{:016x}", report.digest),
                    .causality_floor = report.causality_floor(),
                    .sent = totals.site_out,
                    .received = totals.site_in,
                    .requests_sent = totals.requests_out,
                    .requests_taken = totals.requests_in,
                    .request_way_p50 = report.request_way.quantile(0.5),
                    .request_way_p99 = report.request_way.quantile(0.99),
                    .media = media_status(report)};
  for (std::size_t i = 0; i < report.refused.size(); ++i) {
    if (report.refused[i] > 0) {
      status.refused.emplace_back(std::string(name(static_cast<SiteRefusal>(i))), report.refused[i]);
    }
  }
  for (const SiteReport::Peer& peer : report.peers) {
    status.gateways.push_back(gateway_status(peer));
  }
  return status;
}

std::string site_text(const StatusJson& status) {
  if (!status.contains("site")) {
    return {};
  }
  const Json& site = status["site"];
  std::string text = fmt::format("site {}  gateway {}  sent {}  received {}  shortest delay kept {:.0f} us\n",
                                 site["name"].get<std::string>(), site["gateway"].get<std::string>(),
                                 site["sent"].get<std::uint64_t>(), site["received"].get<std::uint64_t>(),
                                 site["causality_floor_us"].get<double>());
  for (const Json& peer : site["gateways"]) {
    text += fmt::format("  {} ({}): {}", peer["name"].get<std::string>(), peer["address"].get<std::string>(),
                        peer["state"].get<std::string>());
    if (!peer["clock_offset_us"].is_null()) {
      text += fmt::format("; its clock {:+.1f} us; on the way p50 {:.0f} us, p99 {:.0f} us",
                          peer["clock_offset_us"].get<double>(), peer["way_p50_us"].get<double>(),
                          peer["way_p99_us"].get<double>());
    }
    text += fmt::format("; sent {}, received {}, late {}, lost {}\n", peer["sent"].get<std::uint64_t>(),
                        peer["received"].get<std::uint64_t>(), peer["late"].get<std::uint64_t>(),
                        peer["lost"].get<std::uint64_t>());
    text += gateway_text(peer);
  }
  text += air_text(site);
  text += media_text(site);
  for (const auto& [why, count] : site["refused"].items()) {
    text += fmt::format("  refused, {}: {}\n", why, count.get<std::uint64_t>());
  }
  return text;
}

}  // namespace hilgate
