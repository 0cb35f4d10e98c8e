// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "clock/host_now.h"
#include "clock/time.h"
#include "gateway/commands/command_line.h"
#include "gateway/configuration/configuration.h"
#include "gateway/record/pcapng/capture_files.h"
#include "gateway/record/pcapng/pcapng.h"
#include "gateway/run/control/control_client.h"

namespace hilgate {

struct CaptureOptions {
  std::string run;                    // the name of the run; empty: the only one there is
  std::filesystem::path file;         // "-": standard output
  std::uint32_t snaplen = 65535;      // bytes of each frame
  std::vector<std::string> robots;    // of one of these, or all
  std::vector<std::string> links;     // FROM>TO
  std::vector<std::string> reasons;   // dropped for one of these
  std::string filter;                 // an expression of libpcap's; empty: all
  std::uint64_t count = 0;            // packets; 0: no limit
  std::optional<Nanoseconds> length;  // after which it ends
  std::uint64_t ring_megabytes = 0;   // of each file; 0: one file
  std::size_t ring_files = 0;         // that stay; 0: all
};

namespace {

constexpr std::chrono::seconds kLastWords{5};  // for the end of the stream

// As [code, jt, jf, k] each. Names of hosts and services in it are looked up here, and not by the gateway.
nlohmann::json compiled(const CaptureOptions& options) {
  nlohmann::json program = nlohmann::json::array();
  if (options.filter.empty()) {
    return program;
  }
  const std::unique_ptr<pcap_t, decltype(&pcap_close)> ethernet(
      pcap_open_dead(DLT_EN10MB, static_cast<int>(options.snaplen)), pcap_close);
  bpf_program compiled{};
  if (pcap_compile(ethernet.get(), &compiled, options.filter.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0) {
    throw std::invalid_argument(fmt::format("'{}': {}", options.filter, pcap_geterr(ethernet.get())));
  }
  for (u_int i = 0; i < compiled.bf_len; ++i) {
    const bpf_insn& step = compiled.bf_insns[i];
    program.push_back({step.code, step.jt, step.jf, step.k});
  }
  pcap_freecode(&compiled);
  return program;
}

nlohmann::json links_of(const CaptureOptions& options) {
  nlohmann::json links = nlohmann::json::array();
  for (const std::string& link : options.links) {
    const std::size_t at = link.find('>');
    if (at == std::string::npos || at == 0 || at + 1 == link.size()) {
      throw std::invalid_argument(fmt::format("'{}' is no link; write FROM>TO, in quotes", link));
    }
    links.push_back({link.substr(0, at), link.substr(at + 1)});
  }
  return links;
}

nlohmann::json request_of(const CaptureOptions& options) {
  return {{"command", "capture"},        {"snaplen", options.snaplen}, {"count", options.count},
          {"robots", options.robots},    {"links", links_of(options)}, {"reasons", options.reasons},
          {"program", compiled(options)}};
}

// Signals that request the end, as a descriptor; a closed pipe is detected by the write.
FileDescriptor ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&signals, signal);
  }
  sigset_t blocked = signals;
  sigaddset(&blocked, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  return FileDescriptor(checked(::signalfd(-1, &signals, SFD_CLOEXEC), "signalfd"));
}

/// The stream of a capture on its way to its files.
class Recording {
 public:
  explicit Recording(const CaptureOptions& options)
      : files_({.file = options.file, .ring_bytes = options.ring_megabytes << 20, .ring_files = options.ring_files}) {}

  /// What came from the gateway, to the files.
  void write(std::string_view bytes) {
    splitter_.add(bytes, [this](std::string_view block) { write_block(block); });
    files_.flush();
  }
  [[nodiscard]] std::string summary() const { return fmt::format("{} packets, {} missed", packets_, missed_); }

 private:
  void write_block(std::string_view block) {
    const auto type = static_cast<PcapngBlock>(pcapng_head({block.data(), block.size()})->type);
    if (type == PcapngBlock::kSection) {
      fmt::print(stderr, "capturing to {}\n", files_.file().string());
    }
    packets_ += type == PcapngBlock::kPacket ? 1 : 0;
    missed_ += type == PcapngBlock::kStatistics ? statistics_dropped(block) : 0;
    files_.write(block);
  }

  CaptureFiles files_;
  PcapngSplitter splitter_;
  std::uint64_t packets_ = 0;
  std::uint64_t missed_ = 0;
};

// Reads until the gateway has sent everything; requests the end at a signal or when the time is over.
void record(const FileDescriptor& stream, const FileDescriptor& signals, std::optional<Nanoseconds> length,
            Recording& recording) {
  HostTime until = length ? host_now() + *length : HostTime::max();
  bool asked = false;
  std::array<char, 65536> bytes{};
  for (;;) {
    std::array<pollfd, 2> waiting{{{stream.get(), POLLIN, 0}, {signals.get(), POLLIN, 0}}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - host_now());
    ::poll(waiting.data(), asked ? 1 : 2, static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 0, 1000)));
    if (host_now() >= until && asked) {
      throw std::runtime_error("the gateway does not end the capture; its statistics are missing in the file");
    }
    if (!asked && (host_now() >= until || waiting[1].revents != 0)) {
      asked = true;
      until = host_now() + kLastWords;
      ::shutdown(stream.get(), SHUT_WR);
    }
    if (waiting[0].revents != 0) {
      const ssize_t got = ::recv(stream.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        return;
      }
      recording.write({bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0});
    }
  }
}

}  // namespace

/// What is wrong with the options themselves: throws std::invalid_argument.
void check_capture(const CaptureOptions& options) {
  static_cast<void>(request_of(options));
  if (options.ring_megabytes > 0 && options.file == "-") {
    throw std::invalid_argument("standard output is no ring of files; name a file");
  }
  if (options.ring_files > 0 && options.ring_megabytes == 0) {
    throw std::invalid_argument("--ring-files needs --ring-size");
  }
}

/// `hilgate capture`: writes what a running gateway does with frames to a file, until SIGINT or SIGTERM, the count or
/// the length. Returns the exit status. Throws std::runtime_error with what the gateway has against it.
int capture_command(const CaptureOptions& options) {
  const FileDescriptor signals = ending_signals();
  const FileDescriptor stream = control_stream(running_gateway(options.run), request_of(options));
  Recording recording(options);
  try {
    record(stream, signals, options.length, recording);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::broken_pipe) {  // the reader of a pipe may close it
      throw;
    }
  }
  fmt::print(stderr, "{}\n", recording.summary());
  return 0;
}

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

// Wireshark's way to programs that capture for it (extcap; wireshark's doc/extcap.adoc): running gateways and their
// links are in its list of interfaces.

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
