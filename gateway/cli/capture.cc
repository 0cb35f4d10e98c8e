// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/capture.h"

#include "gateway/cli/command_line.h"
#include "gateway/commands/extcap.h"

namespace hilgate {

void add_capture(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "capture", "Write what a running gateway does with frames to a pcapng file, before the air and behind it");
  auto options = std::make_shared<CaptureOptions>();
  command->add_option("-w,--write", options->file, "file to write, - for standard output")->required();
  command->add_option("--run", options->run, "name of the run; optional when only one is running");
  command->add_option("--snaplen", options->snaplen, "bytes to keep of each frame")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  command->add_option("--robot", options->robots, "only frames from or to this robot; may be given several times");
  command->add_option("--link", options->links, "only this link, FROM>TO; may be given several times");
  command->add_option("--reason", options->reasons,
                      "only frames dropped for this reason, as `hilgate status` names it");
  command->add_option("--filter", options->filter,
                      "only frames that this filter of libpcap's accepts, 'udp port 14550'");
  command->add_option("--count", options->count, "end after so many packets");
  command
      ->add_option_function<double>(
          "--seconds",
          [options](double seconds) {
            options->length = std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
          },
          "end after this time")
      ->check(CLI::Range(0.001, 1e8));
  command
      ->add_option("--ring-size", options->ring_megabytes,
                   "size of a file in MiB, after which another follows (NAME_00001.pcapng)")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--ring-files", options->ring_files, "keep only so many of the newest files");
  command->callback([&action, options] {
    try {
      check_capture(*options);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(error.what());
    }
    action = [options] { return capture_command(*options); };
  });
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
