// SPDX-License-Identifier: Apache-2.0
#include "dpdk/dpdk_port.h"

#include <fmt/format.h>
#include <rte_alarm.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <rte_log.h>
#include <rte_mbuf_dyn.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

#include "host/unix_socket.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kEthernetOverhead = RTE_ETHER_HDR_LEN + 2 * 4;  // header and two VLAN tags

// DPDK answers with negative errno values.
void require(int result, const DpdkPortOptions& options, const char* what) {
  if (result < 0) {
    throw std::runtime_error(
        fmt::format("port {}: device {}: {}: {}", options.name, options.device, what, rte_strerror(-result)));
  }
}

std::string known_devices() {
  std::string names;
  for (std::uint16_t port = 0; port < RTE_MAX_ETHPORTS; ++port) {
    if (rte_eth_dev_is_valid_port(port) == 0) {
      continue;
    }
    std::array<char, RTE_ETH_NAME_MAX_LEN> name{};
    rte_eth_dev_get_name_by_port(port, name.data());
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name.data());
  }
  return names.empty() ? "none" : names;
}

std::uint16_t find_device(const DpdkPortOptions& options) {
  std::uint16_t port = 0;
  if (rte_eth_dev_get_port_by_name(options.device.c_str(), &port) != 0) {
    throw std::runtime_error(fmt::format("port {}: DPDK does not find the device '{}'; it has: {}", options.name,
                                         options.device, known_devices()));
  }
  return port;
}

// Satisfies LaunchDevice.
struct EthernetQueue {
  std::uint16_t port;

  std::uint16_t send(std::span<rte_mbuf*> burst) const {
    return rte_eth_tx_burst(port, 0, burst.data(), static_cast<std::uint16_t>(burst.size()));
  }
  [[nodiscard]] std::optional<LaunchTimes::DeviceTime> departure() const { return DeviceClock::departure(port); }
};

void hold_promise(void* promise) {
  static_cast<std::promise<void>*>(promise)->set_value();
}

// DPDK's interrupts and alarms have one thread, which handles what a wait has brought in any order: what came before
// the first of two alarms is done when the second comes.
void settle_interrupts() {
  for (int i = 0; i < 2; ++i) {
    std::promise<void> handled;
    if (rte_eal_alarm_set(1, hold_promise, &handled) == 0) {
      handled.get_future().wait();
    }
  }
}

void check_queues(const DpdkPortOptions& options, const rte_eth_dev_info& info) {
  if (options.rx_queues == 0 || options.rx_queues > info.max_rx_queues) {
    throw std::runtime_error(fmt::format("port {}: device {} supports {} receive queues, not {}", options.name,
                                         options.device, info.max_rx_queues, options.rx_queues));
  }
}

}  // namespace

DpdkPort::DpdkPort(const DpdkPortOptions& options, MbufPool& pool, const TscClock& clock)
    : port_(find_device(options)), tsc_(clock), clock_(clock) {
  prepare_socket(options);
  start_with_launches(options, pool);
  meet_peers(options);
  rte_eth_promiscuous_enable(port_);  // the gateway takes frames for other addresses; virtual devices do anyway
  take_stamps();
}

void DpdkPort::prepare_socket(const DpdkPortOptions& options) {
  if (options.kind == DpdkKind::kDevice) {
    return;
  }
  const DpdkSocketConfig& socket = options.socket;
  if (const std::string problem = socket_path_problem(socket.path, socket.server); !problem.empty()) {
    throw std::runtime_error(fmt::format("port {}: {}", options.name, problem));
  }
  try {
    if (options.kind == DpdkKind::kMemif) {
      relay_ = std::make_unique<MemifRelay>(MemifRelayOptions{
          .socket = socket.path, .driver_socket = options.driver_socket, .server = socket.server, .id = socket.id});
    } else if (socket.server) {
      free_socket_path(socket.path);
    }
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("port {}: {}", options.name, error.what()));
  }
}

void DpdkPort::meet_peers(const DpdkPortOptions& options) {
  if (options.kind == DpdkKind::kDevice) {
    return;
  }
  if (options.kind == DpdkKind::kVhostUser && options.socket.server) {
    share_socket_path(options.socket.path);
  }
  rte_eth_dev_callback_register(port_, RTE_ETH_EVENT_INTR_LSC, carrier_changed, this);
  look_for_carrier();
  if (relay_ != nullptr) {
    relay_->start(gate_, {.linked =
                              [this] {
                                rte_eth_link link{};
                                return rte_eth_link_get_nowait(port_, &link) == 0 &&
                                       link.link_status == RTE_ETH_LINK_UP;
                              },
                          .changed = [this] { look_for_carrier(); },
                          .settle = settle_interrupts,
                          .reconnect =
                              [this] {
                                rte_eth_dev_stop(port_);
                                return rte_eth_dev_start(port_) == 0;
                              }});
  }
}

int DpdkPort::carrier_changed(std::uint16_t, rte_eth_event_type, void* self, void*) {
  static_cast<DpdkPort*>(self)->look_for_carrier();
  return 0;
}

// A device may refuse to start with interrupts: without MSI-X, say.
void DpdkPort::start(const DpdkPortOptions& options, MbufPool& pool, bool launches) {
  configure(options, pool, {.interrupts = options.interrupts, .launches = launches});
  int started = rte_eth_dev_start(port_);
  if (started != 0 && options.interrupts) {
    configure(options, pool, {.interrupts = false, .launches = launches});
    started = rte_eth_dev_start(port_);
  } else if (options.interrupts) {
    interrupts_ = ArrivalInterrupts::of(port_, mode_.rx_queues);
    mode_.interrupts = interrupts_ != nullptr;
  }
  require(started, options, "cannot start");
}

// What a device that offers launch time has besides, it shows once it has been started; one that is not to keep them is
// started again without, as the offload may cost it time.
void DpdkPort::start_with_launches(const DpdkPortOptions& options, MbufPool& pool) {
  rte_eth_dev_info info{};
  require(rte_eth_dev_info_get(port_, &info), options, "cannot read the device information");
  mode_.driver = info.driver_name;
  mode_.sends_on_timestamp = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP) != 0;
  mode_.no_departures = "DPDK has no transmit timestamps but those of PTP messages";
  LaunchField field;
  std::string& problem = mode_.no_launch_time;
  if (options.launch_time == LaunchTimeUse::kOff) {
    problem = "`launch_time: off`";
  } else if (!mode_.sends_on_timestamp) {
    problem = fmt::format("not offered by the driver {}", mode_.driver);
  } else if (!options.no_launch_time.empty()) {
    problem = options.no_launch_time;
  } else if (rte_mbuf_dyn_tx_timestamp_register(&field.offset, &field.flag) != 0) {
    problem = "DPDK has no room for a launch time in its buffers";
  }
  start(options, pool, problem.empty());
  if (!problem.empty()) {
    return;
  }
  mode_.no_departures = DeviceClock::no_departures(port_, mode_.driver);
  try {
    device_clock_ = DeviceClock::of(port_, mode_.driver, tsc_);
    problem = device_clock_ == nullptr ? "the device's clock cannot be read" : "";
  } catch (const std::runtime_error& error) {
    problem = error.what();
  }
  if (!problem.empty()) {
    mode_.no_departures = "the driver " + mode_.driver + " has no clock to read its timestamps by";
  } else if (!mode_.no_departures.empty() && options.launch_time == LaunchTimeUse::kAuto) {
    problem = fmt::format(
        "{}, which would show that the device keeps launch times; `launch_time: on` for the port relies on it without",
        mode_.no_departures);
  }
  if (problem.empty()) {
    launches_.emplace(stamps_, field, mode_.no_departures.empty());
    return;
  }
  device_clock_.reset();
  interrupts_.reset();
  rte_eth_dev_stop(port_);
  start(options, pool, false);
}

void DpdkPort::take_stamps() {
  if (!stamps_arrivals_) {
    mode_.no_stamps = "the device has no receive timestamps (RTE_ETH_RX_OFFLOAD_TIMESTAMP)";
    return;
  }
  if (device_clock_ == nullptr) {
    device_clock_ = DeviceClock::of(port_, mode_.driver, tsc_);
  }
  if (device_clock_ == nullptr) {
    mode_.no_stamps = "the device has receive timestamps, but its clock cannot be read";
  } else if (rte_mbuf_dyn_rx_timestamp_register(&stamp_at_, &stamp_flag_) == 0) {
    mode_.stamps = device_clock_->name();
  } else {
    mode_.no_stamps = "DPDK has no room for a timestamp in its buffers";
  }
  stamps_arrivals_ = mode_.no_stamps.empty();
}

StampStatistics DpdkPort::stamps() const {
  StampStatistics stamps{.source = StampSource::kNone,
                         .problem = mode_.no_departures,
                         .margin = stamps_.line.load().margin,
                         .totals = stamps_.totals.load(),
                         .launches = stamps_.launch_report.load(),
                         .launch_problem = mode_.no_launch_time,
                         .launch_unmeasured = {}};
  if (!launches_) {
    return stamps;
  }
  stamps.launch_problem = launch_problem(stamps_, "", " (hw/launch-time.md)");
  stamps.launch_unmeasured = mode_.no_departures;
  if (!mode_.no_departures.empty()) {
    return stamps;
  }
  if (stamps.totals.count() > 0) {
    stamps.source = StampSource::kDriver;
  } else {
    stamps.problem = stamps.totals.missing > 0
                         ? fmt::format("the driver {} timestamped no frame that left", mode_.driver)
                         : "no frame has left by launch time yet";
  }
  return stamps;
}

DpdkArrivals DpdkPort::arrivals() const {
  if (!stamps_arrivals_) {
    return {};
  }
  const std::uint64_t missing = stamps_missing_.get();
  const std::uint64_t unusable = stamps_unusable_.get();
  return {.count = std::max(captured_.get(), missing + unusable) - missing - unusable,
          .missing = missing,
          .unusable = unusable,
          .margin = device_clock_->margin(),
          .kernel = DeviceClock::is_kernel(mode_.driver)};
}

void DpdkPort::discipline() {
  if (device_clock_ != nullptr) {
    device_clock_->discipline();
    stamps_.line.store(device_clock_->line(tsc_.last_error()));
  }
}

DpdkPort::~DpdkPort() {
  if (relay_ != nullptr) {
    relay_->stop();
  }
  while (rte_eth_dev_callback_unregister(port_, RTE_ETH_EVENT_INTR_LSC, carrier_changed, this) == -EAGAIN) {
    std::this_thread::yield();  // it is being called
  }
  rte_pktmbuf_free_bulk(tx_.data(), waiting_);
  interrupts_.reset();
  rte_eth_dev_stop(port_);
  if (relay_ == nullptr) {  // EalOptions::ends_with_process
    rte_eth_dev_close(port_);
  }
}

void DpdkPort::configure(const DpdkPortOptions& options, MbufPool& pool, Extras extras) {
  rte_eth_dev_info info{};
  require(rte_eth_dev_info_get(port_, &info), options, "cannot read the device information");
  check_queues(options, info);
  rte_eth_conf conf{};
  conf.intr_conf.rxq = extras.interrupts ? 1 : 0;
  const std::uint32_t room = rte_pktmbuf_data_room_size(pool.handle()) - RTE_PKTMBUF_HEADROOM;
  if (options.frame_limit > room) {
    conf.rxmode.offloads |= info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
    mode_.scattered = (info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
  }
  conf.rxmode.offloads |= info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_TIMESTAMP;
  stamps_arrivals_ = DeviceClock::stamps(info);
  conf.txmode.offloads |= info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  conf.txmode.offloads |= extras.launches ? RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP : 0;
  if (options.rx_queues > 1) {
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    conf.rx_adv_conf.rss_conf.rss_hf =
        info.flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP);
  }
  require(rte_eth_dev_configure(port_, options.rx_queues, 1, &conf), options, "cannot configure queues and offloads");
  const std::uint32_t longest = std::min(options.frame_limit, info.max_rx_pktlen);
  // The longest frame of some devices (net_af_packet: 1514 B) has no room for two tags; all have Ethernet's MTU.
  const std::uint32_t least = std::min<std::uint32_t>(options.frame_limit - kEthernetOverhead, RTE_ETHER_MTU);
  const std::uint32_t mtu = std::min<std::uint32_t>(std::max(longest - kEthernetOverhead, least), info.max_mtu);
  rte_eth_dev_set_mtu(port_, static_cast<std::uint16_t>(mtu));  // virtual devices may have none to set
  std::uint16_t rx = options.descriptors;
  std::uint16_t tx = options.descriptors;
  require(rte_eth_dev_adjust_nb_rx_tx_desc(port_, &rx, &tx), options, "cannot set the ring lengths");
  const int socket = rte_eth_dev_socket_id(port_);
  for (std::uint16_t queue = 0; queue < options.rx_queues; ++queue) {
    require(rte_eth_rx_queue_setup(port_, queue, rx, static_cast<unsigned>(socket), nullptr, pool.handle()), options,
            "cannot set up a receive queue");
  }
  require(rte_eth_tx_queue_setup(port_, 0, tx, static_cast<unsigned>(socket), nullptr), options,
          "cannot set up its transmit queue");
  mode_.rx_queues = options.rx_queues;
  mode_.largest_frame = mode_.scattered ? longest : std::min(longest, room);
}

std::size_t DpdkPort::capture(std::span<Frame> burst) {
  if (!gate_.passes()) {
    return 0;
  }
  std::array<rte_mbuf*, kBurst> mbufs;
  const auto wanted = static_cast<std::uint16_t>(std::min<std::size_t>(burst.size(), kBurst));
  const std::uint16_t queue = next_queue_;
  next_queue_ = static_cast<std::uint16_t>(queue + 1 < mode_.rx_queues ? queue + 1 : 0);
  const std::uint16_t count = rte_eth_rx_burst(port_, queue, mbufs.data(), wanted);
  captured_.add(count);
  const HostTime now = count > 0 ? clock_.now() : HostTime{};
  for (std::uint16_t i = 0; i < count; ++i) {
    burst[i] = MbufPool::frame(mbufs[i], stamps_arrivals_ ? stamped(*mbufs[i], now) : now);
  }
  return count;
}

// Never later than it was polled: the two clocks are known to one another to some 100 ns.
HostTime DpdkPort::stamped(const rte_mbuf& mbuf, HostTime polled) {
  if ((mbuf.ol_flags & stamp_flag_) == 0) {
    stamps_missing_.add();
    return polled;
  }
  const HostTime arrived = device_clock_->host(*RTE_MBUF_DYNFIELD(&mbuf, stamp_at_, const rte_mbuf_timestamp_t*));
  if (arrived < polled - kOldest || arrived > polled + kAhead) {
    stamps_unusable_.add();
    return polled;
  }
  return std::min(arrived, polled);
}

void DpdkPort::look_for_carrier() {
  rte_eth_link link{};
  const bool known = rte_eth_link_get_nowait(port_, &link) == 0;
  carrier_.store(!known || link.link_status == RTE_ETH_LINK_UP, std::memory_order_relaxed);
}

// What waits for a device without a peer would be late when the next one comes.
void DpdkPort::discard_waiting() {
  rte_pktmbuf_free_bulk(tx_.data(), waiting_);
  discarded_.add(waiting_);
  waiting_ = 0;
}

// Hands the waiting frames to the device; true when there is room for another.
bool DpdkPort::send() {
  if (!gate_.passes() || unplugged()) {
    discard_waiting();
    return true;
  }
  const std::uint16_t sent = give();
  std::copy(tx_.begin() + sent, tx_.begin() + waiting_, tx_.begin());
  waiting_ = static_cast<std::uint16_t>(waiting_ - sent);
  released_.add(sent);
  return waiting_ < kBurst;
}

std::uint16_t DpdkPort::give() {
  const std::span<rte_mbuf*> burst = std::span(tx_).first(waiting_);
  EthernetQueue queue{port_};
  if (launches_) [[unlikely]] {
    const std::uint16_t sent = launches_->send(queue, burst, std::span(due_).first(waiting_), clock_.now());
    std::copy(due_.begin() + sent, due_.begin() + waiting_, due_.begin());
    return sent;
  }
  for (rte_mbuf* mbuf : burst) {
    mbuf->ol_flags = 0;  // what the receiving device noted is no request to this one
  }
  return queue.send(burst);
}

// The launch time lies in the frame's memory. One with other owners gets memory of its own, if it is before its time.
bool DpdkPort::release_to_launch(const Frame& frame, HostTime due) {
  if (unplugged() || (waiting_ == kBurst && !send())) {
    return false;
  }
  rte_mbuf* mbuf = MbufPool::mbuf(frame);
  if (rte_mbuf_refcnt_read(mbuf) > 1 && launches_->holds(due, clock_.now())) {
    rte_mbuf* const own = rte_pktmbuf_copy(mbuf, mbuf->pool, 0, UINT32_MAX);
    if (own == nullptr) {
      return false;
    }
    rte_pktmbuf_free(mbuf);
    mbuf = own;
  }
  due_[waiting_] = due;
  tx_[waiting_++] = mbuf;
  return true;
}

void DpdkPort::look_at_launches() {
  EthernetQueue queue{port_};
  launches_->look(queue, clock_.now());
}

rte_eth_stats DpdkPort::statistics() const {
  rte_eth_stats stats{};
  rte_eth_stats_get(port_, &stats);
  return stats;
}

namespace {

// Devices without receive interrupts are no errors here, and DPDK would log them as such.
class Quiet {
 public:
  Quiet() : level_(rte_log_get_global_level()) { rte_log_set_global_level(RTE_LOG_CRIT); }
  ~Quiet() { rte_log_set_global_level(level_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  std::uint32_t level_;
};

}  // namespace

std::unique_ptr<ArrivalInterrupts> ArrivalInterrupts::of(std::uint16_t port, std::uint16_t queues) {
  const Quiet quiet;
  FileDescriptor events(::epoll_create1(EPOLL_CLOEXEC));
  if (events.get() < 0) {
    return nullptr;
  }
  std::unique_ptr<ArrivalInterrupts> interrupts(new ArrivalInterrupts(port, std::move(events)));
  for (; interrupts->queues_ < queues; ++interrupts->queues_) {
    if (rte_eth_dev_rx_intr_ctl_q(port, interrupts->queues_, interrupts->fd(), RTE_INTR_EVENT_ADD, nullptr) != 0) {
      return nullptr;
    }
  }
  return interrupts;
}

ArrivalInterrupts::~ArrivalInterrupts() {
  disarm();
  for (std::uint16_t queue = 0; queue < queues_; ++queue) {
    rte_eth_dev_rx_intr_ctl_q(port_, queue, fd(), RTE_INTR_EVENT_DEL, nullptr);
  }
}

// Devices whose interrupts are always on, as net_tap's, have nothing to switch.
bool ArrivalInterrupts::arm() noexcept {
  if (armed_) {
    return false;
  }
  for (std::uint16_t queue = 0; queue < queues_; ++queue) {
    rte_eth_dev_rx_intr_enable(port_, queue);
  }
  armed_ = true;
  return true;
}

void ArrivalInterrupts::disarm() noexcept {
  if (!armed_) {
    return;
  }
  armed_ = false;
  for (std::uint16_t queue = 0; queue < queues_; ++queue) {
    rte_eth_dev_rx_intr_disable(port_, queue);
  }
  std::array<rte_epoll_event, 16> arrived{};
  while (rte_epoll_wait(fd(), arrived.data(), static_cast<int>(arrived.size()), 0) ==
         static_cast<int>(arrived.size())) {
  }
}

}  // namespace hilgate
