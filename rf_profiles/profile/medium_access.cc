// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/medium_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "config/range.h"

namespace hilgate {
namespace {

double ms(Nanoseconds span) {
  return static_cast<double>(span.count()) / 1e6;
}

void read_interference(YamlReader& mac, RadioMac& out) {
  if (mac.has("interference_weight")) {
    out.interference_weight = number_within(mac, "interference_weight", 0, 1);
  }
}

void read_guard(YamlReader& mac, RadioMac& out) {
  out.cw_min = out.cw_max = 0;
  out.sifs = time_within(mac, "guard", Nanoseconds{0}, kLongestSpan);
}

// ---- csma ----

constexpr std::uint32_t kDcfAifsn = 2;  // DIFS

void read_contention_window(YamlReader window, RadioMac& out) {
  out.cw_min = whole_within(window, "min", 0, 32767);
  out.cw_max = whole_within(window, "max", 0, 32767);
  if (out.cw_max < out.cw_min) {
    window.fault("max", fmt::format("{} is below the minimum, {}", out.cw_max, out.cw_min));
  }
}

// Defaults: IEEE 802.11-2020, table 9-155, by the contention window of the medium.
void read_edca(YamlReader edca, RadioMac& out) {
  constexpr std::array<const char*, kAccessCategories> kNames = {"best_effort", "background", "video", "voice"};
  const std::uint32_t window = out.cw_min + 1;
  auto& all = out.edca.emplace();
  all = {{{.aifsn = 3, .cw_min = out.cw_min, .cw_max = out.cw_max},
          {.aifsn = 7, .cw_min = out.cw_min, .cw_max = out.cw_max},
          {.aifsn = 2, .cw_min = window / 2 - 1, .cw_max = out.cw_min, .txop = Nanoseconds{4'096'000}},
          {.aifsn = 2, .cw_min = window / 4 - 1, .cw_max = window / 2 - 1, .txop = Nanoseconds{2'080'000}}}};
  for (std::size_t i = 0; i < kAccessCategories; ++i) {
    if (std::optional<YamlReader> one = edca.optional_child(kNames[i])) {
      EdcaParameters& category = all[i];
      category.aifsn = one->has("aifsn") ? whole_within(*one, "aifsn", 2, 15) : category.aifsn;
      category.cw_min = one->has("min") ? whole_within(*one, "min", 0, 32767) : category.cw_min;
      category.cw_max = one->has("max") ? whole_within(*one, "max", 0, 32767) : category.cw_max;
      category.txop = one->has("txop") ? time_within(*one, "txop", Nanoseconds{0}, kLongestSpan) : category.txop;
      if (category.cw_max < category.cw_min) {
        one->fault("max", fmt::format("{} is below the minimum, {}", category.cw_max, category.cw_min));
      }
    }
  }
}

void read_csma(YamlReader& mac, RadioMac& out, ProfileModes& modes) {
  constexpr Nanoseconds kShortest{1'000};
  constexpr Nanoseconds kLongest{10'000'000};
  out.slot = time_within(mac, "slot", kShortest, kLongest);
  out.sifs = time_within(mac, "sifs", kShortest, kLongest);
  read_contention_window(mac.child("contention_window"), out);
  constexpr std::uint32_t kBestEffort = 3;  // of EDCA, table 9-155 of IEEE 802.11-2020
  out.aifsn = mac.has("aifsn") ? whole_within(mac, "aifsn", 2, 15) : modes.has_qos() ? kBestEffort : kDcfAifsn;
  modes.set_timing(out.sifs, mac.has("signal_extension")
                                 ? time_within(mac, "signal_extension", Nanoseconds{0}, Nanoseconds{1'000'000})
                                 : Nanoseconds{0});
  out.access = MediumAccess::kDcf;
  if (mac.has("carrier_sense")) {
    out.access = MediumAccess::kOverlappingDcf;
    out.carrier_sense = within<Dbm>(mac, "carrier_sense", -200, 0);
  }
  read_interference(mac, out);
  if (std::optional<YamlReader> aggregation = mac.optional_child("aggregation")) {
    out.aggregation = {whole_within(*aggregation, "frames", 1, 1024),
                       bytes_within(*aggregation, "bytes", 64, 6'500'631),
                       time_within(*aggregation, "time", Nanoseconds{1'000}, Nanoseconds{1'000'000'000})};
  }
  if (std::optional<YamlReader> edca = mac.optional_child("edca")) {
    if (!out.carrier_sense) {
      mac.fault("edca", "needs `carrier_sense`");
    }
    if (out.cw_min < 3) {
      mac.fault("contention_window", "with edca the minimum is at least 3");
    } else {
      read_edca(std::move(*edca), out);
    }
    if (mac.has("aifsn")) {
      mac.fault("aifsn", "is of radios with one queue; with edca it is `edca.best_effort.aifsn`");
    }
    out.aifsn = out.edca ? (*out.edca)[static_cast<std::size_t>(AccessCategory::kBestEffort)].aifsn : out.aifsn;
  }
  if (mac.has("rts_threshold")) {
    out.rts_above = bytes_within(mac, "rts_threshold", 0, 65535);
  }
}

std::string csma_text(const RadioMac& mac) {
  const std::string senses = mac.carrier_sense ? fmt::format("carrier sense {:g} dBm", mac.carrier_sense->value)
                                               : std::string("no hidden stations");
  const std::string aggregates = mac.aggregation.frames > 1
                                     ? fmt::format("A-MPDU of up to {} frames", mac.aggregation.frames)
                                     : std::string("no aggregation");
  const std::string rts = mac.rts_above ? fmt::format("; RTS above {} B", *mac.rts_above) : std::string();
  const std::string waits = mac.aifsn == kDcfAifsn ? std::string() : fmt::format("AIFSN {}; ", mac.aifsn);
  return fmt::format("csma, {}; {}{}{}", senses, mac.edca ? "EDCA; " : waits, aggregates, rts);
}

// ---- unslotted_csma ----

void read_unslotted_csma(YamlReader& mac, RadioMac& out, ProfileModes& modes) {
  constexpr Nanoseconds kLongest{10'000'000};
  out.access = MediumAccess::kUnslottedCsma;
  out.slot = time_within(mac, "slot", Nanoseconds{1'000}, kLongest);
  out.cca = time_within(mac, "cca", Nanoseconds{1'000}, kLongest);
  out.sifs = time_within(mac, "turnaround", Nanoseconds{0}, kLongest);
  out.interframe = time_within(mac, "interframe", Nanoseconds{0}, kLongest);
  read_contention_window(mac.child("contention_window"), out);
  out.most_busy = whole_within(mac, "backoffs", 0, 15);
  modes.set_timing(out.sifs, Nanoseconds{0});
  if (mac.has("carrier_sense")) {
    out.carrier_sense = within<Dbm>(mac, "carrier_sense", -200, 0);
  }
  read_interference(mac, out);
}

std::string unslotted_csma_text(const RadioMac& mac) {
  const std::string senses = mac.carrier_sense ? fmt::format("carrier sense {:g} dBm", mac.carrier_sense->value)
                                               : std::string("no hidden stations");
  return fmt::format("unslotted CSMA-CA, {}; busy up to {} times", senses, mac.most_busy);
}

// ---- tdm ----

void read_tdm(YamlReader& mac, RadioMac& out, ProfileModes& /*modes*/) {
  if (!mac.has("window")) {
    out.access = MediumAccess::kRoundRobin;
    return read_guard(mac, out);
  }
  out.access = MediumAccess::kTdma;
  out.cw_min = out.cw_max = 0;
  out.tdma_slot = time_within(mac, "window", Nanoseconds{1'000}, kLongestSpan);
  out.tdma_guard = time_within(mac, "silence", Nanoseconds{0}, kLongestSpan);
  out.tdma_yields = mac.optional<bool>("yield", false);
}

std::string tdm_text(const RadioMac& mac) {
  return mac.access == MediumAccess::kTdma
             ? fmt::format("tdm, windows of {:g} ms with {:g} ms silence{}", ms(mac.tdma_slot), ms(mac.tdma_guard),
                           mac.tdma_yields ? ", yielded by an idle station" : "")
             : "tdm, one frame per station in turn";
}

// ---- aloha ----

void read_aloha(YamlReader& mac, RadioMac& out, ProfileModes& /*modes*/) {
  out.access = MediumAccess::kAloha;
  read_guard(mac, out);
  read_interference(mac, out);
  if (std::optional<YamlReader> duty = mac.optional_child("duty_cycle")) {
    constexpr double kLeast = 1e-6;
    out.duty.share = number_within(*duty, "share", kLeast, 1);
    out.duty.period = time_within(*duty, "period", Nanoseconds{1'000'000}, Nanoseconds{86'400'000'000'000});
    out.duty.drops = duty->choice<bool>("over", {{"wait", false}, {"drop", true}});
  }
}

std::string aloha_text(const RadioMac& mac) {
  return mac.duty.share < 1 ? fmt::format("aloha, duty cycle {:g} % of {:g} s, excess {}", 100 * mac.duty.share,
                                          ms(mac.duty.period) / 1e3, mac.duty.drops ? "is dropped" : "waits")
                            : "aloha";
}

// ---- scheduled ----

void read_cell(YamlReader& cell, RadioMac& out) {
  out.cell = Cell{cell.choice<bool>("duplex", {{"fdd", false}, {"tdd", true}}),
                  cell.choice<bool>("role", {{"user", false}, {"base", true}})};
  if (cell.has("uplink")) {
    out.cell->uplink_bps = within<BitsPerSecond>(cell, "uplink", 1, 100e9).value;
  }
  if (std::optional<YamlReader> latency = cell.optional_child("latency")) {
    const Nanoseconds down = time_within(*latency, "down", Nanoseconds{0}, kLongestSpan);
    const Nanoseconds up = time_within(*latency, "up", Nanoseconds{0}, kLongestSpan);
    out.latency = out.cell->base ? down : up;
  }
}

void read_scheduled(YamlReader& mac, RadioMac& out, ProfileModes& /*modes*/) {
  out.access = MediumAccess::kScheduled;
  read_guard(mac, out);
  if (std::optional<YamlReader> cell = mac.optional_child("cell")) {
    read_cell(*cell, out);
  }
  if (std::optional<YamlReader> harq = mac.optional_child("harq")) {
    out.combining = Combining{time_within(*harq, "round_trip", Nanoseconds{0}, kLongestSpan)};
  }
}

std::string scheduled_text(const RadioMac& mac) {
  const std::string cell = !mac.cell ? std::string()
                                     : fmt::format(" in a cell, {}{}", mac.cell->both_ways ? "TDD" : "FDD",
                                                   mac.cell->base ? ", as its base station" : "");
  const std::string harq =
      mac.combining ? fmt::format(", HARQ combining, {:g} ms apart", ms(mac.combining->round_trip)) : std::string();
  return "scheduled" + cell + harq;
}

// ---- mesh: of any type but scheduled ----

void read_mesh(YamlReader mesh, RadioMac& out, ProfileModes& modes) {
  constexpr Nanoseconds kShortest{1'000'000};
  constexpr Nanoseconds kLongestInterval{600'000'000'000};
  MeshProtocol& protocol = out.mesh.emplace();
  protocol.metric = mesh.choice<MeshMetric>(
      "metric", {{"airtime", MeshMetric::kAirtime}, {"etx", MeshMetric::kEtx}, {"hops", MeshMetric::kHops}},
      protocol.metric);
  const auto read_time = [&](YamlReader& map, const char* key, Nanoseconds least, Nanoseconds most, Nanoseconds& time) {
    time = map.has(key) ? time_within(map, key, least, most) : time;
  };
  read_time(mesh, "hello", kShortest, kLongestInterval, protocol.hello);
  read_time(mesh, "update", kShortest, kLongestInterval, protocol.update);
  protocol.lost_after = mesh.has("lost_after") ? whole_within(mesh, "lost_after", 1, 100) : protocol.lost_after;
  protocol.forwarding.hop_limit =
      mesh.has("hop_limit") ? whole_within(mesh, "hop_limit", 1, 255) : protocol.forwarding.hop_limit;
  if (std::optional<YamlReader> forwarding = mesh.optional_child("forwarding")) {
    protocol.forwarding.least_forwarding = time_within(*forwarding, "min", Nanoseconds{0}, kLongestSpan);
    protocol.forwarding.most_forwarding = time_within(*forwarding, "max", Nanoseconds{0}, kLongestSpan);
    if (protocol.forwarding.most_forwarding < protocol.forwarding.least_forwarding) {
      forwarding->fault("max", "is shorter than the minimum");
    }
  }
  modes.set_more_overhead(mesh.has("header") ? bytes_within(mesh, "header", 0, 255) : 0);
}

std::string mesh_text(const MeshProtocol& mesh) {
  const char* const metric = mesh.metric == MeshMetric::kAirtime ? "airtime"
                             : mesh.metric == MeshMetric::kEtx   ? "ETX"
                                                                 : "hops";
  return fmt::format("; mesh by {}, hellos every {:g} ms, lost after {}", metric, ms(mesh.hello), mesh.lost_after);
}

// ---- the table ----

struct MediumAccessType {
  std::string_view name;             // `mac: {type: ...}`
  std::array<MediumAccess, 2> ways;  // that it comes to, by its further keys
  void (*read)(YamlReader& mac, RadioMac& out, ProfileModes& modes);
  std::string (*text)(const RadioMac& mac);
};

constexpr MediumAccessType kTypes[] = {
    {"csma", {MediumAccess::kDcf, MediumAccess::kOverlappingDcf}, read_csma, csma_text},
    {"unslotted_csma",
     {MediumAccess::kUnslottedCsma, MediumAccess::kUnslottedCsma},
     read_unslotted_csma,
     unslotted_csma_text},
    {"tdm", {MediumAccess::kRoundRobin, MediumAccess::kTdma}, read_tdm, tdm_text},
    {"aloha", {MediumAccess::kAloha, MediumAccess::kAloha}, read_aloha, aloha_text},
    {"scheduled", {MediumAccess::kScheduled, MediumAccess::kScheduled}, read_scheduled, scheduled_text},
};

const MediumAccessType& type_of(MediumAccess access) {
  return *std::ranges::find_if(kTypes, [access](const MediumAccessType& type) {
    return std::ranges::find(type.ways, access) != type.ways.end();
  });
}

const char* name(RateControl::Type type) {
  switch (type) {
    case RateControl::Type::kFixed:
      return "fixed";
    case RateControl::Type::kMinstrel:
      return "minstrel";
    case RateControl::Type::kReports:
      return "by channel reports";
    case RateControl::Type::kIdeal:
      break;
  }
  return "ideal";
}

}  // namespace

void read_medium_access(YamlReader& mac, RadioMac& out, ProfileModes& modes) {
  std::vector<std::pair<std::string, const MediumAccessType*>> names;
  for (const MediumAccessType& type : kTypes) {
    names.emplace_back(type.name, &type);
  }
  const MediumAccessType* const type = mac.choice("type", names);
  (type != nullptr ? *type : kTypes[0]).read(mac, out, modes);
  if (out.access != MediumAccess::kScheduled) {
    if (std::optional<YamlReader> mesh = mac.optional_child("mesh")) {
      read_mesh(std::move(*mesh), out, modes);
    }
  }
}

std::string medium_access_text(const RadioMac& mac) {
  return fmt::format("{}; rate {}{}", type_of(mac.access).text(mac), name(mac.rate_control.type),
                     mac.mesh ? mesh_text(*mac.mesh) : std::string());
}

}  // namespace hilgate
