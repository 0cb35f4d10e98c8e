// SPDX-License-Identifier: Apache-2.0
// hilgate probe: one-way delay and loss of a path between two network namespaces of this machine, by small UDP
// datagrams. Both ends read the same CLOCK_MONOTONIC, so a one-way delay needs no synchronisation; between two
// machines the figures would mean nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

#include "bench/probe/probe_packet.h"

namespace hilgate {

struct ProbeSendOptions {
  std::string to = {};                                   // IPv4 or IPv6 address
  std::uint16_t port = 5005;                             // UDP
  Nanoseconds interval = std::chrono::milliseconds{10};  // from kShortestProbeInterval to one minute
  Nanoseconds duration = std::chrono::seconds{10};       // at least one interval
  std::uint32_t size = 64;                               // UDP payload, bytes, from kProbeBytes to 65507
};

struct ProbeReceiveOptions {
  std::uint16_t port = 5005;  // UDP, on all IPv4 and IPv6 addresses
  std::string csv = {};       // file to write; empty: no file, only the summary
};

using ProbeOptions = std::variant<ProbeSendOptions, ProbeReceiveOptions>;

/// Throws std::invalid_argument with the allowed range for a value out of it.
void check_probe(const ProbeOptions& options);

/// Runs one end; the return value is the exit status, 0.
///
/// `send` ends after `duration`. A datagram that the kernel refuses (no route, no neighbour, full queue) is not
/// repeated; the receiver misses it.
///
/// `receive` follows the first run of probes that reaches it and ends when each of its probes has arrived or has been
/// missing for two seconds, or on SIGINT or SIGTERM, which it handles while it runs. The CSV has the columns
/// sent_s,delay_s,sequence,lost, one row a probe: sent_s on CLOCK_MONOTONIC; for a lost probe (lost = 1) the instant it
/// was due to leave, and an empty delay_s. Arrivals are written at once, losses after two seconds, so that rows are not
/// in the order of sequence. The header line is there as soon as the socket listens.
///
/// Throws as check_probe() does, and std::runtime_error when the system refuses.
int probe_command(const ProbeOptions& options);

/// What a receiver saw of the run it followed.
struct ProbeSummary {
  std::uint64_t received = 0;
  std::uint64_t lost = 0;
  std::uint64_t ignored = 0;  // duplicates, probes later than the grace, datagrams of other runs or of no run
  Nanoseconds shortest{0};    // delays; 0 when nothing was received
  Nanoseconds mean{0};
  Nanoseconds longest{0};
};

/// The receiving end of `hilgate probe`; returns as probe_command() does. Requires options that check_probe() takes.
ProbeSummary receive_probes(const ProbeReceiveOptions& options);

/// The sending end of `hilgate probe`; returns when the last probe has left. Requires options that check_probe() takes.
/// Throws std::runtime_error when the system refuses.
void send_probes(const ProbeSendOptions& options);

}  // namespace hilgate
