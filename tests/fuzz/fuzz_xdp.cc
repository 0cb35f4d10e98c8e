// SPDX-License-Identifier: Apache-2.0
// The XDP program (BPF_PROG_TEST_RUN) against the C++ parsers: what a frame is must not depend on who looks. Needs
// root.
#include <linux/bpf.h>

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "clock/ptp/ptp_passage.h"
#include "frame/headers.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/netns.h"
#include "tests/xdp/program_run.h"
#include "xdp/xdp_program.h"
#include "xdp/xsk_socket.h"

namespace hilgate::test {
namespace {

constexpr EtherType kPtp{kPtpEthertype};

/// The program of a port of a namespace of its own, where everything goes to the socket with its class.
class Program {
 public:
  Program() : gateway_("fuzz"), robot_("fuzz") {
    const VethPair wire({&gateway_, "port"}, {&robot_, "eth0"});
    const InNetNs here = gateway_.enter();
    memory_ = std::make_unique<XskMemory>(umem_, 64, false);
    socket_ = std::make_unique<XskSocket>(*memory_, find_interface("port"), 0);
    program_ = std::make_unique<XdpProgram>(find_interface("port"), XdpProgramConfig{});
    program_->set_socket(0, socket_->fd());
  }

  hg_class class_of(std::span<const std::byte> frame) {
    const std::optional<ProgramRun> run = run_program(program_->fd(), frame);
    require(run.has_value(), "the program runs");
    require(run->verdict == XDP_REDIRECT, "a frame goes to the socket");
    hg_frame_meta meta{};
    require(run->metadata == sizeof meta, "a frame is stamped");
    std::memcpy(&meta, run->out.data(), sizeof meta);
    require(meta.magic == HG_META_MAGIC && meta.frame_class < HG_CLASSES, "a stamp is one");
    require(run->out.size() == frame.size() + sizeof meta &&
                std::memcmp(run->out.data() + sizeof meta, frame.data(), frame.size()) == 0,
            "a frame is not changed");
    return static_cast<hg_class>(meta.frame_class);
  }

 private:
  NetNs gateway_, robot_;
  Umem umem_{{.chunks = 64}};
  std::unique_ptr<XskMemory> memory_;
  std::unique_ptr<XskSocket> socket_;
  std::unique_ptr<XdpProgram> program_;
};

bool is_neighbour_discovery(std::span<const std::byte> frame, const IpHeader& ip) {
  return ip.protocol == IpProtocol::kIcmpv6 && frame.size() > ip.payload && frame[ip.payload] >= std::byte{133} &&
         frame[ip.payload] <= std::byte{137};
}

// What the frame is by frame/headers.h; empty where only one of the two looks further: behind IPv6's extension headers,
// and at whether lengths agree.
std::optional<hg_class> expected_ip(std::span<const std::byte> frame, const EthernetHeader& ethernet) {
  const auto ip = parse_ip(frame, ethernet);
  const bool group = ethernet.destination.is_group();
  if (!ip) {
    return std::nullopt;
  }
  if (ip->protocol == IpProtocol::kUdp && frame.size() >= ip->payload + 4) {
    const auto port = load_be<std::uint16_t>(frame, ip->payload + 2);
    if (port == kPtpEventPort || port == kPtpGeneralPort) {
      return ip->fragment ? std::nullopt : std::optional(HG_CLASS_PTP);
    }
  }
  if (ethernet.type == EtherType::kIpv4) {
    return group ? HG_CLASS_IPV4_MULTICAST : HG_CLASS_IPV4;
  }
  const auto next = static_cast<std::uint8_t>(ip->protocol);
  if (next == 0 || next == 43 || next == 60) {
    return std::nullopt;
  }
  return is_neighbour_discovery(frame, *ip) ? HG_CLASS_ND : group ? HG_CLASS_IPV6_MULTICAST : HG_CLASS_IPV6;
}

std::optional<hg_class> expected(std::span<const std::byte> frame) {
  const auto ethernet = parse_ethernet(frame);
  if (!ethernet) {
    return HG_CLASS_OTHER;  // a tag is cut short
  }
  if (ethernet->type == kPtp) {
    return HG_CLASS_PTP;
  }
  if (ethernet->type == EtherType::kArp) {
    return HG_CLASS_ARP;
  }
  if (ethernet->type == EtherType::kIpv4 || ethernet->type == EtherType::kIpv6) {
    return expected_ip(frame, *ethernet);
  }
  return HG_CLASS_OTHER;
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  using namespace hilgate::test;
  static Program program;
  const auto frame = std::as_bytes(std::span(data, size));
  if (frame.size() < kEthernetHeader || frame.size() > 1514) {  // the kernel runs no shorter ones
    return 0;
  }
  const hg_class found = program.class_of(frame);
  if (const auto wanted = expected(frame)) {
    require(found == *wanted, "the program and the path see the same frame");
  }
  require(!find_ptp(frame) || found == HG_CLASS_PTP, "what the path takes for PTP is PTP for the program");
  return 0;
}
