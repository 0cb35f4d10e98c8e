// SPDX-License-Identifier: Apache-2.0
// What `hilgate metrics` says to Prometheus, and where it is in the status document. Names and units follow Prometheus'
// conventions: base units, `_total` for what only grows. docs/reference/prometheus.md is generated from this table.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace hilgate {

enum class MetricKind : unsigned char { kCounter, kGauge, kHistogram };

struct MetricSource {
  std::string_view name;
  MetricKind kind = MetricKind::kGauge;
  std::string_view text;     // meaning
  std::string_view list;     // list of the status document that it has one of for each element; empty: one of a run
  std::string_view key;      // in the element or the document, with dots
  double scale = 1;          // from the status' unit to that of the name
  std::string_view by = {};  // label for the keys of what is there, where that is an object of numbers
  std::string_view is = {};  // where a text is there: 1 when it is this one, else 0
};

/// A label of all elements of a list.
struct MetricLabel {
  std::string_view list;
  std::string_view label;
  std::string_view key;  // in the element
};

inline constexpr std::array kMetricLabels = std::to_array<MetricLabel>({
    {"conditions", "condition", "name"},
    {"conditions", "about", "about"},
    {"loop.threads", "cpu", "cpu"},
    {"ports", "port", "name"},
    {"robots", "robot", "name"},
    {"links", "from", "from"},
    {"links", "to", "to"},
    {"media", "domain", "domain"},
    {"stations", "robot", "robot"},
    {"window.simulators", "simulator", "name"},
    {"clock.serves", "port", "port"},
    {"mavlink.systems", "system", "system"},
    {"mavlink.vehicles", "robot", "robot"},
    {"mavlink.radio_status", "robot", "robot"},
    {"mavlink.radio_status", "peer", "peer"},
    {"mavlink.radio_status", "port", "port"},
});

inline constexpr std::array kMetricSources = std::to_array<MetricSource>({
    {"hilgate_uptime_seconds", MetricKind::kGauge, "time since the run began", "", "uptime_s"},
    {"hilgate_memory_bytes", MetricKind::kGauge, "memory for frames and the hold", "", "memory_bytes"},
    {"hilgate_kernel_memory_bytes", MetricKind::kGauge, "what the kernel keeps for the ports' sockets, about", "",
     "kernel_memory_bytes"},
    {"hilgate_condition", MetricKind::kGauge, "1 while this condition stands (docs/reference/conditions.md)",
     "conditions", ""},
    {"hilgate_captured_frames_total", MetricKind::kCounter, "frames captured", "", "totals.frames_captured"},
    {"hilgate_captured_bytes_total", MetricKind::kCounter, "bytes captured", "", "totals.bytes_captured"},
    {"hilgate_released_bytes_total", MetricKind::kCounter, "bytes released", "", "totals.bytes_released"},
    {"hilgate_deliveries_total", MetricKind::kCounter, "deliveries: one for each captured frame and receiver", "",
     "totals.in"},
    {"hilgate_injected_deliveries_total", MetricKind::kCounter, "frames that the gateway sent itself", "",
     "totals.injected"},
    {"hilgate_released_deliveries_total", MetricKind::kCounter, "deliveries released", "", "totals.out"},
    {"hilgate_dropped_deliveries_total", MetricKind::kCounter, "deliveries dropped, by drop reason", "",
     "totals.dropped", 1, "reason"},
    {"hilgate_damaged_deliveries_total", MetricKind::kCounter, "deliveries released with bit errors", "",
     "totals.damaged"},
    {"hilgate_duplicated_deliveries_total", MetricKind::kCounter, "deliveries added by duplication", "",
     "totals.duplicated"},
    {"hilgate_marked_deliveries_total", MetricKind::kCounter,
     "deliveries with bit errors that were counted and not applied", "", "totals.marked"},
    {"hilgate_held_deliveries", MetricKind::kGauge, "deliveries held now", "", "totals.held"},
    {"hilgate_held_deliveries_most", MetricKind::kGauge, "most deliveries held at once", "", "totals.held_most"},
    {"hilgate_balanced", MetricKind::kGauge, "1 when every delivery is accounted for", "", "totals.balanced"},
    {"hilgate_configuration_changes_total", MetricKind::kCounter, "configuration changes applied", "",
     "totals.changes"},
    {"hilgate_loop_turns_total", MetricKind::kCounter, "iterations of the packet loops", "", "loop.turns"},
    {"hilgate_loop_longest_turn_seconds", MetricKind::kGauge, "longest iteration of a packet loop", "",
     "loop.longest_turn_us", 1e-6},
    {"hilgate_loop_asleep_seconds_total", MetricKind::kCounter,
     "time that the packet loop slept; the rest of the time it was busy", "loop.threads", "asleep_s"},
    {"hilgate_loop_sleeps_total", MetricKind::kCounter, "times that the packet loop slept", "loop.threads", "sleeps"},
    {"hilgate_release_lateness_seconds", MetricKind::kHistogram,
     "how much later than scheduled deliveries were released; the sum is estimated from the buckets", "",
     "loop.release_lateness"},
    {"hilgate_port_up", MetricKind::kGauge, "1 when the port is up", "ports", "state", 1, "", "up"},
    {"hilgate_port_lost_at_capture_frames_total", MetricKind::kCounter, "frames lost before the packet path saw them",
     "ports", "lost_at_capture"},
    {"hilgate_port_lost_at_sending_frames_total", MetricKind::kCounter, "deliveries released and lost at the port",
     "ports", "lost_at_sending"},
    {"hilgate_port_lost_line_bytes_total", MetricKind::kCounter,
     "bytes lost at a serial line: its buffer was full, or nobody had its terminal open", "ports", "lost_line_bytes"},
    {"hilgate_port_driver_total", MetricKind::kCounter, "counters of the port and its driver, by name", "ports",
     "counts", 1, "counter"},
    {"hilgate_robot_unplugged", MetricKind::kGauge, "1 when the robot's port is not up", "robots", "unplugged"},
    {"hilgate_medium_busy_seconds_total", MetricKind::kCounter, "airtime in use", "media", "busy_s"},
    {"hilgate_medium_stations", MetricKind::kGauge, "stations of the medium", "media", "stations"},
    {"hilgate_medium_lost_acks_total", MetricKind::kCounter, "acknowledgements lost", "media", "acks_lost"},
    {"hilgate_station_associated", MetricKind::kGauge, "1 when the robot is associated to an access point", "stations",
     "state", 1, "", "associated"},
    {"hilgate_station_rssi_dbm", MetricKind::kGauge, "power received from the access point", "stations", "rssi_dbm"},
    {"hilgate_station_handovers_total", MetricKind::kCounter, "handovers", "stations", "handovers"},
    {"hilgate_station_without_seconds_total", MetricKind::kCounter, "time without association", "stations",
     "without_s"},
    {"hilgate_link_reachable", MetricKind::kGauge, "1 when the receiver is in range", "links", "reachable"},
    {"hilgate_link_snr_decibels", MetricKind::kGauge, "signal-to-noise ratio", "links", "snr_db"},
    {"hilgate_link_rssi_dbm", MetricKind::kGauge, "received power", "links", "rssi_dbm"},
    {"hilgate_link_phy_bytes_per_second", MetricKind::kGauge, "PHY rate", "links", "rate_mbps", 125'000},
    {"hilgate_link_frame_loss_ratio", MetricKind::kGauge, "probability that one try of a full frame is lost", "links",
     "frame_loss"},
    {"hilgate_link_delay_seconds", MetricKind::kGauge, "delay of the link state", "links", "delay_us", 1e-6},
    {"hilgate_link_deliveries_total", MetricKind::kCounter, "deliveries on the link", "links", "in"},
    {"hilgate_link_released_deliveries_total", MetricKind::kCounter, "deliveries released", "links", "released"},
    {"hilgate_link_released_bytes_total", MetricKind::kCounter, "bytes released", "links", "bytes_released"},
    {"hilgate_link_failed_tries_total", MetricKind::kCounter, "tries that were lost on the air", "links",
     "failed_tries"},
    {"hilgate_link_damaged_deliveries_total", MetricKind::kCounter, "deliveries released with bit errors", "links",
     "damaged"},
    {"hilgate_link_dropped_deliveries_total", MetricKind::kCounter, "deliveries dropped, by drop reason", "links",
     "dropped", 1, "reason"},
    {"hilgate_window_running", MetricKind::kGauge, "0 when the simulation has stopped", "", "window.running"},
    {"hilgate_window_length_seconds", MetricKind::kGauge, "window length", "", "window.length_us", 1e-6},
    {"hilgate_window_sim_time_seconds", MetricKind::kGauge, "simulation time", "", "window.sim_time_s"},
    {"hilgate_windows_published_total", MetricKind::kCounter, "windows with a link table", "", "window.published"},
    {"hilgate_windows_missed_total", MetricKind::kCounter, "windows without a link table of their own", "",
     "window.missed"},
    {"hilgate_window_boundary_p99_seconds", MetricKind::kGauge, "lateness of window boundaries, 99th percentile", "",
     "window.boundary_p99_us", 1e-6},
    {"hilgate_windows_late_starts_total", MetricKind::kCounter, "windows that began more than 100 us late, by cause",
     "", "window.late_starts", 1, "cause"},
    {"hilgate_window_longest_compute_seconds", MetricKind::kGauge, "largest computing time of a window", "",
     "window.most_compute_us", 1e-6},
    {"hilgate_simulator_windows_total", MetricKind::kCounter, "windows that the simulator ended", "window.simulators",
     "windows"},
    {"hilgate_simulator_late_windows_total", MetricKind::kCounter, "of these, after the deadline", "window.simulators",
     "late"},
    {"hilgate_simulator_missed_windows_total", MetricKind::kCounter, "windows whose end was missed",
     "window.simulators", "missed"},
    {"hilgate_simulator_round_trip_p50_seconds", MetricKind::kGauge, "time from BEGIN to END, median",
     "window.simulators", "round_trip_p50_us", 1e-6},
    {"hilgate_simulator_round_trip_p99_seconds", MetricKind::kGauge, "time from BEGIN to END, 99th percentile",
     "window.simulators", "round_trip_p99_us", 1e-6},
    {"hilgate_verdicts_offered_total", MetricKind::kCounter, "packets given to the network simulator", "",
     "verdicts.offered"},
    {"hilgate_verdicts_passed_total", MetricKind::kCounter, "verdicts applied", "", "verdicts.passed"},
    {"hilgate_verdicts_late_total", MetricKind::kCounter, "verdicts that came after their release time", "",
     "verdicts.late"},
    {"hilgate_verdicts_expired_total", MetricKind::kCounter, "packets that expired without a verdict", "",
     "verdicts.expired"},
    {"hilgate_verdicts_causality_floor_seconds", MetricKind::kGauge, "shortest delay that a verdict can set exactly",
     "", "verdicts.causality_floor_us", 1e-6},
    {"hilgate_clock_offset_seconds", MetricKind::kGauge, "last offset from the reference", "", "clock.offset_last_ns",
     1e-9},
    {"hilgate_clock_offset_p99_seconds", MetricKind::kGauge, "offset from the reference, 99th percentile", "",
     "clock.offset_p99_ns", 1e-9},
    {"hilgate_clock_rate_parts_per_billion", MetricKind::kGauge, "rate of the host's oscillator against the reference",
     "", "clock.rate_ppb"},
    {"hilgate_clock_steps_total", MetricKind::kCounter, "steps of the clock", "", "clock.steps"},
    {"hilgate_clock_losses_total", MetricKind::kCounter, "times that the reference was lost", "", "clock.losses"},
    {"hilgate_clock_sim_rate_ratio", MetricKind::kGauge, "simulation time per wall time", "", "clock.factor"},
    {"hilgate_ptp_slaves", MetricKind::kGauge, "slaves that ask the port for delays", "clock.serves", "slaves"},
    {"hilgate_ptp_syncs_total", MetricKind::kCounter, "Sync messages sent", "clock.serves", "syncs"},
    {"hilgate_mavlink_frames_total", MetricKind::kCounter, "MAVLink frames received of the system", "mavlink.systems",
     "frames"},
    {"hilgate_mavlink_silent_seconds", MetricKind::kGauge, "time since the system's last frame", "mavlink.systems",
     "silent_s"},
    {"hilgate_mavlink_position_age_seconds", MetricKind::kGauge, "age of the vehicle's last position",
     "mavlink.vehicles", "age_s"},
    {"hilgate_mavlink_vehicle_heard", MetricKind::kGauge, "1 when the vehicle says where it is", "mavlink.vehicles",
     "state", 1, "", "heard"},
    {"hilgate_mavlink_radio_status_sent_total", MetricKind::kCounter, "RADIO_STATUS messages sent",
     "mavlink.radio_status", "sent"},
});
}  // namespace hilgate
