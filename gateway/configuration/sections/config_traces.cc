// SPDX-License-Identifier: Apache-2.0
// Which link plays which file, and how: of the netsim `trace`, and in runs of the netsim `embedded` of robots without a
// radio; of radios there whose SINR was measured.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "config/plain_text.h"
#include "gateway/configuration/bodies.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/sections/robot_names.h"
#include "netsim_link/trace/trace_file.h"
#include "netsim_link/trace/trace_report.h"
#include "netsim_link/wire_netsim.h"

namespace hilgate {
namespace {

/// The keys of an item of `traces` other than its files.
struct TraceOptions {
  std::optional<TraceFormat> format{};
  CsvColumns columns{};
  TracePlay play{};
  TracePlayback playback{};  // but for schedule and wire
};

CsvColumn read_column(YamlReader& columns, const std::string& name) {
  YamlReader column = columns.child(name);
  if (column.is_map()) {
    return {column.required<std::string>("column"), column.optional<std::string>("unit", "")};
  }
  return {columns.required<std::string>(name)};
}

CsvColumns read_columns(YamlReader& item) {
  CsvColumns found;
  found.fill_gaps = item.choice<bool>("gaps", {{"fault", false}, {"fill", true}}, false);
  found.order = item.choice<CsvOrder>("times", csv_orders(), CsvOrder::kFault);
  if (auto columns = item.optional_child("columns")) {
    for (const char* const name : {"time", "keep", "rate", "delay", "rtt", "jitter", "loss", "sinr", "cqi"}) {
      if (const auto value = csv_value(name); value && columns->has(name)) {
        found.named[static_cast<std::size_t>(*value)] = read_column(*columns, name);
      }
    }
  }
  return found;
}

void read_queue(YamlReader& item, RateLimit& limit) {
  constexpr Range<std::uint32_t> kFrames{1, 1'000'000, "1 to 1000000 frames"};
  auto queue = item.optional_child("queue");
  if (!queue) {
    return;
  }
  limit.queue_frames = read_within(*queue, "frames", kFrames).value_or(limit.queue_frames);
  limit.queue_bytes = queue->optional<Bytes>("bytes", Bytes{0}).value;
  limit.drop_head = queue->choice<bool>("drop", {{"tail", false}, {"head", true}}, false);
}

TraceOptions read_options(YamlReader& item) {
  using namespace std::chrono_literals;
  constexpr Range<Nanoseconds> kOffset{0ns, kLongestTrace, "0s to 8784h (366 days)"};
  constexpr Range<double> kSpeed{0.001, 1000, "0.001 to 1000"};
  TraceOptions options;
  if (item.has("format")) {
    options.format = item.choice<TraceFormat>("format", trace_formats());
  }
  options.columns = read_columns(item);
  options.play.end = item.choice<TraceEnd>(
      "end", {{"loop", TraceEnd::kLoop}, {"hold", TraceEnd::kHold}, {"clear", TraceEnd::kClear}}, TraceEnd::kLoop);
  options.play.linear = item.choice<bool>("values", {{"steps", false}, {"linear", true}}, false);
  options.play.offset = read_within(item, "offset", kOffset).value_or(0ns);
  options.play.speed = read_within(item, "speed", kSpeed).value_or(1);
  options.playback.overtakes = item.choice<bool>("order", {{"keep", false}, {"free", true}}, false);
  options.playback.queue.ethernet_framing = item.choice<bool>("framing", {{"none", false}, {"ethernet", true}}, false);
  read_queue(item, options.playback.queue);
  return options;
}

/// Files that runs play are read once: `set` reads the whole configuration again. Control thread.
class PlayedTraces {
 public:
  struct PlayedTrace {
    TraceSchedule schedule;
    std::string contents;  // TraceFile::contents
  };

  std::shared_ptr<const PlayedTrace> of(const std::string& file, const TraceOptions& options) {
    std::error_code error;
    const auto written = std::filesystem::last_write_time(file, error).time_since_epoch().count();
    const auto size = error ? 0 : std::filesystem::file_size(file, error);
    std::string key = fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", file, written, size,
                                  options.format ? name_of(*options.format) : "", static_cast<int>(options.play.end),
                                  options.play.linear, options.play.offset.count(), options.play.speed);
    for (const auto& column : options.columns.named) {
      key += column ? fmt::format("|{}|{}", column->name, column->unit) : "|";
    }
    key += fmt::format("|{}|{}", options.columns.fill_gaps, static_cast<int>(options.columns.order));
    std::weak_ptr<const PlayedTrace>& known = played_[key];
    std::shared_ptr<const PlayedTrace> played = known.lock();
    if (!played) {
      const Trace trace = read_trace(file, options.format, options.columns);
      played =
          std::make_shared<const PlayedTrace>(PlayedTrace{TraceSchedule(trace, options.play), contents_text(trace)});
      known = played;
      std::erase_if(played_, [](const auto& entry) { return entry.second.expired(); });
    }
    return played;
  }

 private:
  std::map<std::string, std::weak_ptr<const PlayedTrace>> played_;
};

/// All items of `traces`, as they come.
class TraceLinks {
 public:
  explicit TraceLinks(const Configuration& configuration)
      : configuration_(configuration),
        robots_(names_of(configuration.robots)),
        links_(robots_.size() * robots_.size()) {}

  void read(YamlReader& item) {
    const TraceOptions options = read_options(item);
    if (item.has("robot")) {
      read_robot(item, options);
    } else {
      read_link(item, options);
    }
  }

  void check(YamlReader& netsim) const {
    for (const auto& [link, count] : claims_) {
      if (count > 1) {
        netsim.fault(
            "traces",
            fmt::format("give the link from '{}' to '{}' two traces, one by 'up' and one by 'down'; give it one "
                        "of its own by an item with 'from', 'to' and 'file'",
                        robots_[link / robots_.size()], robots_[link % robots_.size()]));
        return;
      }
    }
  }

  [[nodiscard]] const std::vector<std::shared_ptr<const Impairments>>& links() const { return links_; }
  [[nodiscard]] const std::vector<TraceFile>& played() const { return played_; }
  /// Of the traces that drive radios.
  [[nodiscard]] const std::vector<MeasuredSinr>& sinrs() const { return sinrs_; }
  [[nodiscard]] bool shares_receivers() const { return shares_receivers_; }

 private:
  [[nodiscard]] std::optional<TracePlayback> playback(YamlReader& item, std::string_view key,
                                                      const TraceOptions& options) {
    static PlayedTraces cache;
    const auto name = item.required<std::string>(key);
    if (name.empty()) {
      return std::nullopt;
    }
    const std::filesystem::path file = item.file_named(name);
    ++files_;
    try {
      TracePlayback playback = options.playback;
      const auto trace = cache.of(file.string(), options);
      playback.schedule = {trace, &trace->schedule};
      if (std::ranges::find(played_, file, &TraceFile::file) == played_.end()) {
        played_.push_back({file, trace->contents});
      }
      return check_radio(item, key, *playback.schedule) ? std::make_optional(playback) : std::nullopt;
    } catch (const ConfigError& error) {
      for (const Fault& fault : error.faults()) {
        item.fault(fault);
      }
      return std::nullopt;
    }
  }

  [[nodiscard]] bool decided_by_radio(const RobotConfig& robot) const {
    return std::holds_alternative<EmbeddedConfig>(configuration_.netsim) && !robot.radio.empty();
  }

  // An SINR or a CQI is a radio's, whose queue and framing are the profile's.
  bool check_radio(YamlReader& item, std::string_view key, const TraceSchedule& trace) const {
    if (!trace.drives_radio()) {
      return true;
    }
    if (!std::holds_alternative<EmbeddedConfig>(configuration_.netsim)) {
      item.fault(
          key,
          "has an SINR or a CQI, which drives the modes of a radio; use `netsim: {type: embedded}` and give both "
          "ends the key `radio`");
      return false;
    }
    for (const char* const rate_key : {"queue", "framing"}) {
      if (item.has(rate_key)) {
        item.fault(rate_key, "belongs to a trace with a rate; with an SINR or a CQI the queue is the radio's");
      }
    }
    return true;
  }

  /// Whether a link may have the trace: it is not of two radios of one robot, and neither end has a radio that decides,
  /// or, of a trace that drives radios, both have.
  [[nodiscard]] bool may_join(std::size_t from, std::size_t to, const TraceSchedule& trace) const {
    const RobotConfig& sender = configuration_.robots[from];
    const RobotConfig& receiver = configuration_.robots[to];
    return !share_body(sender, receiver) && decided_by_radio(sender) == trace.drives_radio() &&
           decided_by_radio(receiver) == trace.drives_radio();
  }

  // Of an end that has none of the links that may have the trace.
  void fault_of_radio(const YamlReader& node, std::size_t robot, const TraceSchedule& trace) const {
    const RobotConfig& config = configuration_.robots[robot];
    if (trace.drives_radio()) {
      node.fault(
          fmt::format("'{}' has no radio whose modes the SINR or CQI of the trace could drive; give it the key "
                      "`radio`, as `radio: lte_cat4`",
                      shown(config.name)));
      return;
    }
    node.fault(
        fmt::format("'{}' has the radio '{}', which decides its links; give the trace to a robot, or to one of a "
                    "robot's `radios`, without the key `radio`, or one with an SINR or a CQI",
                    shown(config.name), config.radio));
  }

  void put(std::size_t from, std::size_t to, TracePlayback trace, std::uint32_t wire) {
    auto& link = links_[from * robots_.size() + to];
    link = nullptr;
    trace.wire = wire;
    if (trace.schedule->drives_radio()) {
      const auto index = [](std::size_t robot) { return RobotIndex{static_cast<std::uint32_t>(robot)}; };
      sinrs_.push_back({index(from), index(to), trace.schedule, files_});
    }
    if (!trace.schedule->drives_radio() || trace.schedule->changes_frames()) {
      Impairments impairments;
      impairments.trace = std::move(trace);
      link = std::make_shared<const Impairments>(std::move(impairments));
    }
  }

  // Of the file that was read last.
  void check_driven(const YamlReader& file, const TraceSchedule& trace) const {
    if (trace.drives_radio() && (sinrs_.empty() || sinrs_.back().file != files_)) {
      file.fault("has an SINR or a CQI for a link between two radios, and the other end has none; give it a `radio`");
    }
  }

  // One wire for all that it sends, and one for all that it is sent.
  void read_robot(YamlReader& item, const TraceOptions& options) {
    const auto robot = radio_named(item.child("robot"), item.required<std::string>("robot"), configuration_);
    if (!item.has("up") && !item.has("down")) {
      item.fault("has no file; give 'up', 'down' or both");
    }
    for (const bool up : {true, false}) {
      const auto trace = item.has(up ? "up" : "down") ? playback(item, up ? "up" : "down", options) : std::nullopt;
      if (!trace || !robot) {
        continue;
      }
      if (decided_by_radio(configuration_.robots[robot->value()]) != trace->schedule->drives_radio()) {
        fault_of_radio(item.child("robot"), robot->value(), *trace->schedule);
        return;
      }
      ++wires_;
      shares_receivers_ = shares_receivers_ || (!up && !trace->schedule->drives_radio());
      for (std::size_t other = 0; other < robots_.size(); ++other) {
        const std::size_t self = robot->value();
        if (may_join(self, other, *trace->schedule)) {
          const std::size_t from = up ? self : other;
          const std::size_t to = up ? other : self;
          put(from, to, *trace, wires_);
          ++claims_[from * robots_.size() + to];
        }
      }
      check_driven(item.child(up ? "up" : "down"), *trace->schedule);
    }
  }

  // One wire for each link.
  void read_link(YamlReader& item, const TraceOptions& options) {
    const auto trace = playback(item, "file", options);
    const TraceSchedule* const schedule = trace ? trace->schedule.get() : nullptr;
    const std::optional<std::vector<std::size_t>> from = read_end(item, "from", schedule);
    const std::optional<std::vector<std::size_t>> to = read_end(item, "to", schedule);
    if (!from || !to || !trace) {
      return;
    }
    for (const std::size_t sender : *from) {
      for (const std::size_t receiver : *to) {
        if (may_join(sender, receiver, *schedule)) {
          put(sender, receiver, *trace, ++wires_);
          claims_.erase(sender * robots_.size() + receiver);
        }
      }
    }
    check_driven(item.child("file"), *schedule);
  }

  // `trace` null: its file has faults, and any radio will do.
  [[nodiscard]] std::optional<std::vector<std::size_t>> read_end(YamlReader& item, std::string_view key,
                                                                 const TraceSchedule* trace) const {
    const auto name = item.required<std::string>(key);
    std::vector<std::size_t> ends;
    if (!item.has(key)) {
      return std::nullopt;
    }
    if (name == "*") {
      for (std::size_t robot = 0; robot < robots_.size(); ++robot) {
        ends.push_back(robot);
      }
      return ends;
    }
    const std::vector<RobotIndex> named = radios_named(item.child(key), name, "robot or \"*\"", configuration_);
    for (const RobotIndex robot : named) {
      if (trace == nullptr || decided_by_radio(configuration_.robots[robot.value()]) == trace->drives_radio()) {
        ends.push_back(robot.value());
      }
    }
    if (ends.empty() && !named.empty()) {
      fault_of_radio(item.child(key), named.front().value(), *trace);
    }
    return ends.empty() ? std::nullopt : std::make_optional(ends);
  }

  const Configuration& configuration_;
  const std::vector<std::string> robots_;
  std::vector<std::shared_ptr<const Impairments>> links_;  // by LinkIndex
  std::vector<MeasuredSinr> sinrs_;
  std::vector<TraceFile> played_;
  std::map<std::size_t, int> claims_;  // by LinkIndex: how many robots' traces it has
  std::uint32_t wires_ = 0;
  std::uint32_t files_ = 0;  // that were read
  bool shares_receivers_ = false;
};

}  // namespace

void read_traces(YamlReader& root, Configuration& configuration) {
  YamlReader netsim = root.child("netsim");
  if (netsim.absent()) {
    return;
  }
  auto* const embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  if (embedded != nullptr ? !netsim.has("traces") : netsim.optional<std::string>("type", "") != "trace") {
    return;
  }
  if (embedded != nullptr && !embedded->network.access_points.empty()) {
    netsim.fault("traces",
                 "are of links between robots, which are those of `access_points` here; remove one of the two");
    return;
  }
  TraceLinks traces(configuration);
  if (!netsim.has("traces")) {
    netsim.fault(
        "has no 'traces'; give a list of items with 'robot', 'up' and 'down', or with 'from', 'to' and 'file'");
  }
  for (YamlReader& item : netsim.items("traces")) {
    traces.read(item);
  }
  traces.check(netsim);
  configuration.traces = traces.played();
  if (traces.shares_receivers() && configuration.cores.size() > 1) {
    netsim.fault("traces", "have a 'down', which all senders share, and 'packet_loop' has several cores; use one core");
  }
  if (embedded != nullptr) {
    if (std::ranges::any_of(traces.links(), [](const auto& link) { return link != nullptr; })) {
      embedded->measured = traces.links();
    }
    embedded->sinrs = traces.sinrs();
    return;
  }
  configuration.netsim = LocalNetsimConfig{
      .make = [links = traces.links()](std::size_t count) { return std::make_unique<TraceNetsim>(count, links); },
      .in_host_time = true,
      .measured = traces.links()};
}

}  // namespace hilgate
