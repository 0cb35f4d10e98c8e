// SPDX-License-Identifier: Apache-2.0
#include "bench/probe/probe.h"

#include "gateway/commands/command_line.h"

namespace hilgate {

namespace {

template <class Options>
void on_probe(CLI::App& command, const std::shared_ptr<Options>& options, Action& action) {
  command.callback([&action, options] {
    try {
      check_probe(*options);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(error.what());
    }
    action = [options] { return probe_command(*options); };
  });
}

}  // namespace

void add_probe(CLI::App& program, Action& action) {
  auto* probe = program.add_subcommand("probe", "Measure one-way delay and loss between namespaces on this machine")
                    ->require_subcommand(1);
  auto* send = probe->add_subcommand("send", "Send probes at a constant rate");
  auto sending = std::make_shared<ProbeSendOptions>();
  send->add_option("--to", sending->to, "IP address of the receiver")->required();
  send->add_option("--port", sending->port, "UDP port of the receiver")->capture_default_str();
  add_duration(*send, "--interval", sending->interval, "interval between probes [10ms]");
  add_duration(*send, "--duration", sending->duration, "sending time [10s]");
  send->add_option("--size", sending->size, "UDP payload in bytes")->capture_default_str();
  on_probe(*send, sending, action);

  auto* receive = probe->add_subcommand("receive", "Receive one series of probes");
  auto receiving = std::make_shared<ProbeReceiveOptions>();
  receive->add_option("--port", receiving->port, "UDP port")->capture_default_str();
  receive->add_option("--csv", receiving->csv, "output file, one row per probe: sent_s,delay_s,sequence,lost");
  on_probe(*receive, receiving, action);
}

}  // namespace hilgate
