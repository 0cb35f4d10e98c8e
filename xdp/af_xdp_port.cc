// SPDX-License-Identifier: Apache-2.0
#include "xdp/af_xdp_port.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "clock/hardware/phc_device.h"
#include "host/offloads.h"
#include "xdp/arrival_stamps.h"
#include "xdp/attached_program.h"
#include "xdp/xsk_features.h"

namespace hilgate {
namespace {

// The packet loop adopts within an iteration, and waits 100 ms at most for what is on its way through the kernel.
constexpr std::chrono::milliseconds kAdoptPatience{300};

constexpr const char* kDown = "the interface is down";
constexpr const char* kNoCarrier = "no carrier: the cable or its other end is not there, or is down";

void call(const AfXdpPort::Wake& wake) {
  if (wake) {
    wake();
  }
}

// Why timestamps of the NIC could not be read against its clock; empty when they could.
std::string why_without_phc(const Interface& interface) {
  try {
    phc_of_interface(interface.name);
    return {};
  } catch (const std::runtime_error&) {
    return "the port has no PTP hardware clock";
  }
}

// Whether `done` comes true in time.
template <class Done>
bool comes_true(Done done) {
  const auto deadline = std::chrono::steady_clock::now() + kAdoptPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

AfXdpPort::AfXdpPort(XskMemory& memory, Umem& umem, std::uint16_t lender, const PortConfig& config,
                     const TscClock& clock, const KernelPort& kernel)
    : memory_(memory),
      umem_(umem),
      tsc_(clock),
      config_(config),
      kernel_(kernel),
      lender_(lender),
      interface_{.name = config.interface},
      clock_(clock) {
  set_ptp(config.ptp);
}

AfXdpPort::AfXdpPort(XskMemory& memory, const PortConfig& config, const TscClock& clock, const KernelPort& kernel)
    : AfXdpPort(memory, memory.umem(), memory.umem().add_port(), config, clock, kernel) {
  find_interface(config.interface);
  attend({});
  if (session_ == nullptr) {
    throw std::runtime_error(fmt::format("interface {}: {}", config.interface, link_.problem));
  }
}

AfXdpPort::~AfXdpPort() {
  program_.reset();
  if (current_ != nullptr) {
    current_->drain();
  }
  unplug({});
  while (closed_.load(std::memory_order_relaxed) != nullptr) {
    give_back();
  }
}

// ---- control thread ----

void AfXdpPort::close_off() {
  if (const auto found = look_up_interface(config_.interface); found && !program_) {
    // Here, and not while windows run: the run that keeps the port closed may have been killed just now.
    if (const auto run = run_that_keeps(*found);
        run && kernel_.path != nullptr && run->name != kernel_.path->directory().filename()) {
      KernelPath::is_alive_after_all(kernel_path_directory(run->name));
    }
    take(*found);
  }
}

void AfXdpPort::attend(const Wake& wake) {
  try {
    follow(wake);
  } catch (const std::runtime_error& error) {
    link_.state = PortState::kRefused;
    link_.problem = error.what();
    throw;
  }
}

// By what is attached and not by names: an interface that was deleted and made again may have name and number of the
// old one, and a renamed one is the port's no more, but stays closed.
void AfXdpPort::follow(const Wake& wake) {
  const std::optional<Interface> found = look_up_interface(config_.interface);
  const unsigned attached = program_ ? program_->attached_to() : 0;
  const bool is_ours = found && attached == found->index;
  if (!is_ours && !unplug(wake)) {
    return;
  }
  if (program_ && (attached == 0 || (found && !is_ours))) {
    let_go();
  }
  interface_ = found.value_or(Interface{.name = config_.interface});
  if (!found) {
    link_ = {.state = PortState::kAbsent, .problem = "there is no such interface"};
    return;
  }
  if (!program_) {
    take(*found);
  }
  tell_own_names();
  if (!interface_.up) {
    unplug(wake);
    link_ = {.state = PortState::kDown, .problem = down_problem_, .mtu = interface_.mtu, .interface = interface_.index};
    return;
  }
  down_problem_ = kDown;
  if (session_ == nullptr) {
    plug(wake);
  }
  carrier_.store(interface_.carrier, std::memory_order_relaxed);
  const bool carrier = interface_.carrier;
  link_ = {.state = carrier ? PortState::kUp : PortState::kNoCarrier,
           .problem = carrier ? "" : kNoCarrier,
           .mtu = interface_.mtu,
           .interface = interface_.index};
}

// First the program, then up. An interface that another has is asked for each second until it is free.
void AfXdpPort::take(const Interface& found) {
  if (const auto other = who_keeps_out(found, kernel_.path)) {
    throw std::runtime_error(fmt::format("interface {}: {}", found.name, *other));
  }
  if (config_.trunk) {
    // Of an interface that is taken again, nothing is on any more.
    const std::string off = fmt::format("{}", fmt::join(leave_vlan_tags_in_frames(found.name), ", "));
    vlan_offloads_off_ = off.empty() ? vlan_offloads_off_ : off;
  }
  // Without a clock that its timestamps could be read against, a device need not make any.
  no_device_arrivals_ = why_without_phc(found);
  auto program = std::make_unique<XdpProgram>(found, XdpProgramConfig{.kernel_pass = config_.kernel_pass,
                                                                      .fail = config_.fail,
                                                                      .kernel_links = kernel_.decides_links,
                                                                      .ptp_served = config_.ptp_served,
                                                                      .timed = no_device_arrivals_.empty(),
                                                                      .port = kernel_.id,
                                                                      .kernel = kernel_.path});
  program->attach(config_.xdp);
  no_device_arrivals_ += program->untimed_reason();
  kernel_.take_part(found, config_.fail);
  const int error = found.up ? 0 : set_interface_up(found.name);
  down_problem_ = error == 0 ? kDown : fmt::format("{} and cannot be set up: {}", kDown, std::strerror(error));
  interface_ = look_up_interface(config_.interface).value_or(found);
  program_ = std::move(program);
  names_ = {};
}

void AfXdpPort::let_go() {
  past_program_.add(program_->counters());
  program_->detach();
  program_.reset();
  promiscuous_.close();
}

void AfXdpPort::tell_own_names() {
  InterfaceNames names = names_of_interface(interface_.name);
  if (names != names_) {
    program_->set_own(names);
    names_ = std::move(names);
  }
}

void AfXdpPort::plug(const Wake& wake) {
  if (!has_left(wake)) {
    throw std::runtime_error("the packet loop does not answer");
  }
  if (!wake && umem_.available() / interface_.rx_queues < memory_.ring_size()) {
    throw std::runtime_error(fmt::format("interface {}: {} rx queues need {} chunks of frame memory each; {} are free",
                                         interface_.name, interface_.rx_queues, memory_.ring_size(),
                                         umem_.available()));
  }
  if (!wake && kernel_.path != nullptr) {
    kernel_.path->beat(clock_.now(), kernel_.core);
  }
  open_sockets();
  give_sockets(wake);
}

// False when the packet loop does not let go of the sockets.
bool AfXdpPort::unplug(const Wake& wake) {
  open_.store(false, std::memory_order_relaxed);
  if (session_ == nullptr) {
    return true;
  }
  if (!hand_over(nullptr, wake)) {
    return false;
  }
  past_sockets_.add(session_->statistics());
  session_->close();
  leaving_ = std::move(session_);
  closed_.store(leaving_.get(), std::memory_order_release);
  call(wake);
  return true;
}

// Whether the chunks of the sockets before are back.
bool AfXdpPort::has_left(const Wake& wake) {
  const bool back = comes_true([&] {
    if (!wake) {
      give_back();
    }
    return closed_.load(std::memory_order_acquire) == nullptr;
  });
  if (back) {
    leaving_.reset();
  }
  return back;
}

bool AfXdpPort::hand_over(XskSession* session, const Wake& wake) {
  given_.store(session, std::memory_order_release);
  call(wake);
  return comes_true([&] {
    if (!wake) {
      adopt();
    }
    return used_.load(std::memory_order_acquire) == session;
  });
}

AfXdpStatistics AfXdpPort::statistics() const {
  AfXdpStatistics sums{.program = past_program_,
                       .sockets = past_sockets_,
                       .captured = counters_.captured.get(),
                       .released = counters_.released.get(),
                       .oversize = counters_.oversize.get(),
                       .stamped_late = counters_.stamped_late.get(),
                       .lost_at_send = counters_.lost_at_send.get()};
  if (program_) {
    sums.program.add(program_->counters());
  }
  if (session_) {
    sums.sockets.add(session_->statistics());
  }
  return sums;
}

void AfXdpPort::discipline() {
  if (stamp_clock_ && memory_.no_timestamps().empty()) {
    stamps_.line.store(stamp_clock_->refresh(tsc_.last_error()));
  }
  if (arrival_clock_) {
    arrivals_.line.store(arrival_clock_->refresh(tsc_.last_error()));
  }
}

// With zero-copy what a driver has shows with the first frame. The kernel's own timestamps are certain.
StampStatistics AfXdpPort::stamps() const {
  StampStatistics stamps{
      .margin = stamps_.line.load().margin, .totals = stamps_.totals.load(), .launches = stamps_.launch_report.load()};
  stamps.launch_problem = !no_launch_time_.empty()
                              ? no_launch_time_
                              : launch_problem(stamps_, stamp_clock_ ? stamp_clock_->problem() : "",
                                               "; its transmit queue 0 needs launch time switched on "
                                               "(hw/launch-time.md)");
  const bool zero_copy = memory_.mode().zero_copy;
  if (!memory_.no_timestamps().empty()) {
    stamps.problem = memory_.no_timestamps();
  } else if (!stamp_clock_) {
    stamps.problem = "the port has not been up yet";
  } else if (!stamp_clock_->problem().empty()) {
    stamps.problem = stamp_clock_->problem();
  } else if (stamps.totals.count() + stamps.totals.unusable == 0 && (zero_copy || stamps.totals.missing > 0)) {
    stamps.problem = stamps.totals.missing > 0
                         ? fmt::format("{} writes no AF_XDP transmit timestamps",
                                       zero_copy ? "the driver " + mode_.driver : std::string("the kernel"))
                         : "no frame has been completed yet";
  } else {
    stamps.source = zero_copy ? StampSource::kDriver : StampSource::kKernel;
  }
  return stamps;
}

// What a driver has shows with the first frame.
ArrivalStatistics AfXdpPort::arrivals() const {
  ArrivalStatistics arrivals{.clock = arrival_clock_ ? arrival_clock_->name() : "",
                             .margin = arrivals_.line.load().margin,
                             .count = arrivals_.by_device.get(),
                             .missing = arrivals_.missing.get(),
                             .unusable = arrivals_.unusable.get()};
  if (mode_.driver.empty()) {
    arrivals.problem = "the port has not been up yet";
  } else if (!no_device_arrivals_.empty()) {
    arrivals.problem = no_device_arrivals_;
  } else if (arrival_clock_ && !arrival_clock_->problem().empty()) {
    arrivals.problem = arrival_clock_->problem();
  } else if (arrivals.count > 0) {
    arrivals.source = ArrivalSource::kDriver;
  } else if (arrivals.missing > 0) {
    const int error = arrivals_.error.load(std::memory_order_relaxed);
    arrivals.problem = error == EOPNOTSUPP
                           ? fmt::format("the driver ({}) has no receive timestamps for XDP programs", mode_.driver)
                           : fmt::format("the driver ({}) gives no receive timestamp{}", mode_.driver,
                                         error == 0 ? "" : fmt::format(": {}", std::strerror(error)));
  } else if (arrivals.unusable > 0) {
    arrivals.problem = "no timestamp of the driver was within 10 ms before the XDP program saw the frame";
  } else {
    arrivals.problem = "no frame has arrived yet";
  }
  return arrivals;
}

// Of an interface that is up, with the memory registered.
std::string AfXdpPort::no_launch_time() const {
  if (config_.launch_time == LaunchTimeUse::kOff) {
    return "`launch_time: off`";
  }
  const auto features = xsk_features(interface_.index);
  if (!features || (*features & kXskLaunchTime) == 0) {
    return fmt::format("not offered by the driver {}",
                       interface_.driver.empty() ? "of " + interface_.name : interface_.driver);
  }
  if (!memory_.no_timestamps().empty()) {
    return memory_.no_timestamps();
  }
  if (!memory_.mode().zero_copy) {
    return "frames are copied; the device keeps launch times with zero-copy alone";
  }
  return "";
}

// ---- packet loop ----

void AfXdpPort::adopt() noexcept {
  if (current_ != nullptr && !current_->settle()) {
    return;
  }
  current_ = given_.load(std::memory_order_acquire);
  if (current_ != nullptr) {
    current_->refill();
  }
  used_.store(current_, std::memory_order_release);
}

void AfXdpPort::give_back() noexcept {
  XskSession* const closed = closed_.load(std::memory_order_acquire);
  if (closed != nullptr && closed->give_back()) {
    closed_.store(nullptr, std::memory_order_release);
  }
}

void AfXdpPort::flush() {
  if (kernel_.path != nullptr) {
    kernel_.path->beat(clock_.now(), kernel_.core);
  }
  if (current_ != nullptr) {
    current_->flush();
  }
  give_back();
}

}  // namespace hilgate

// Sockets that come and go while the packet loop runs, with an interface or with the configuration.

namespace hilgate {

void AfXdpPort::prepare() {
  if (const auto found = look_up_interface(config_.interface)) {
    take(*found);
    if (interface_.up) {
      open_sockets();
    }
  }
}

void AfXdpPort::open_sockets() {
  no_launch_time_ = no_launch_time();
  auto session = std::make_unique<XskSession>(
      SessionPlace{memory_, umem_, lender_, tsc_, counters_, stamps_, arrivals_, no_launch_time_.empty()}, interface_);
  if (!promiscuous_.valid()) {
    promiscuous_ = take_frames_for_all(interface_);
  }
  session_ = std::move(session);
  open_clocks();
  mode_ = {.driver = interface_.driver,
           .native = program_->native(),
           .zero_copy = memory_.mode().zero_copy,
           .multi_buffer = memory_.mode().multi_buffer && program_->frags(),
           .queues = interface_.rx_queues,
           .fallback_reason = program_->fallback_reason(),
           .vlan_offloads_off = vlan_offloads_off_};
  mode_.largest_frame = umem_.segment_capacity() * (mode_.multi_buffer ? Umem::kMaxSegments : 1);
  carrier_.store(interface_.carrier, std::memory_order_relaxed);
}

void AfXdpPort::open_clocks() {
  stamp_clock_.emplace(interface_, memory_.mode().zero_copy ? StampClock::Of::kNic : StampClock::Of::kKernel);
  arrival_clock_.reset();
  arrivals_.line.store({});
  if (program_->timed()) {
    no_device_arrivals_ = timestamp_all_arrivals(interface_.name);
    arrival_clock_.emplace(interface_, StampClock::Of::kNic);
  }
  discipline();
}

void AfXdpPort::give_sockets(const Wake& wake) {
  open_.store(true, std::memory_order_relaxed);
  hand_over(session_.get(), wake);  // first there are chunks to receive into, and then frames
  try {
    session_->each_socket([this](std::uint32_t queue, int socket) { program_->set_socket(queue, socket); });
  } catch (const std::runtime_error&) {
    unplug(wake);
    throw;
  }
}

void AfXdpPort::cancel() {
  session_.reset();
  promiscuous_.close();
  if (program_ && program_->was_taken_over()) {
    program_->leave();
  } else if (program_) {
    program_->detach();
  }
  program_.reset();
  kernel_.give_up(interface_);
}

void AfXdpPort::join(const Wake& wake) {
  if (session_ != nullptr) {
    tell_own_names();
    give_sockets(wake);
  }
  attend(wake);
}

// The program first: one with `fail: wire` takes a port without sockets for a dead one. A packet loop that does not
// answer in time may be stopped for the moment, or is about to be ended by the watchdog.
void AfXdpPort::leave(const Wake& wake) {
  removed_.store(true, std::memory_order_relaxed);
  if (program_) {
    program_->leave();
    program_.reset();
  }
  while (!unplug(wake) || !has_left(wake)) {
  }
  promiscuous_.close();
  kernel_.give_up(interface_);
}

}  // namespace hilgate
