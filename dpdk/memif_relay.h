// SPDX-License-Identifier: Apache-2.0
// The control channel of a memif between its peer and DPDK's driver.
//
// DPDK 22.11's net_memif unmaps the shared memory in a thread of its own as soon as the peer's connection ends, also
// while a burst reads or writes that memory: a peer that is killed can take the process with it. A peer that connects
// and goes at once leaves a closed descriptor with DPDK's interrupts, which end the process. The driver connects as a
// client only while its device starts, and does not check what it is given: memory that can shrink, rings outside of
// it. So the peer connects to this relay instead, and the driver to a socket of the run's own folder. The relay checks
// each message on its way, keeps the packet loop off the device before it lets the driver see the end of a connection,
// and connects again.
//
// The descriptors of frames in the shared memory are the driver's to read, and it does not check them: a peer is as
// trusted as the gateway itself.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dpdk/burst_gate.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// A message of the control channel: fixed length, one per datagram (drivers/net/memif/memif.h of DPDK).
struct MemifMessage {
  enum class Type : std::uint16_t {
    kAck = 1,
    kHello,
    kInit,
    kAddRegion,
    kAddRing,
    kConnect,
    kConnected,
    kDisconnect,
  };
  static constexpr std::size_t kBytes = 128;

  std::array<std::byte, kBytes> bytes{};
  FileDescriptor file{};  // memory, or the eventfd of a ring

  [[nodiscard]] Type type() const;
  /// The text of a kDisconnect, printable.
  [[nodiscard]] std::string reason() const;
  static MemifMessage disconnect(std::string_view reason);
  /// A server's first message: one ring each way.
  static MemifMessage hello();
};

/// The memory and rings that a memif client announces. A message about them is checked before the driver has it.
class MemifMemory {
 public:
  /// Empty for a message that the driver may have; else what is wrong with it.
  std::string refuse(const MemifMessage& message);

 private:
  std::string refuse_region(const MemifMessage& message);
  [[nodiscard]] std::string refuse_ring(const MemifMessage& message) const;

  std::vector<std::uint64_t> regions_;  // their sizes, bytes
};

/// What the relay needs of the driver. Called by the relay's thread.
struct MemifDriver {
  std::function<bool()> linked;     // the driver has a peer
  std::function<void()> changed;    // the peer came or went
  std::function<void()> settle;     // returns when the driver has handled all that its sockets brought before
  std::function<bool()> reconnect;  // as a client: connects to the driver's socket again; false: it did not start
};

struct MemifRelayOptions {
  std::string socket;         // the peer connects there, or listens there
  std::string driver_socket;  // likewise the driver, the other way round
  bool server = true;         // the peer connects
  std::uint32_t id = 0;       // of the interface that a client asks for
};

class MemifRelay {
 public:
  /// Listens at `socket` as a server, at `driver_socket` otherwise. Throws std::runtime_error and std::system_error.
  explicit MemifRelay(MemifRelayOptions options);
  ~MemifRelay();
  MemifRelay(const MemifRelay&) = delete;
  MemifRelay& operator=(const MemifRelay&) = delete;

  /// Once the driver has started. `gate` must outlive the relay.
  void start(BurstGate& gate, MemifDriver driver);
  /// Once the packet loop uses the device no more, and before the driver is stopped: calls the driver no more. The
  /// driver's end of the connection stays open as long as the relay, so that the driver alone ends it. Idempotent.
  void stop();

  /// Why the last connection ended; empty before. Any thread.
  [[nodiscard]] std::string ended() const;

 private:
  void run(const std::stop_token& stop);
  FileDescriptor next_peer();
  bool meet_driver(const FileDescriptor& peer);
  std::optional<MemifMessage> greet(const FileDescriptor& peer);
  [[nodiscard]] std::string refuse_init(const MemifMessage& message) const;
  void refuse(const FileDescriptor& peer, const std::string& why);
  FileDescriptor accept_one();
  void relay(const FileDescriptor& peer);
  bool from_peer(const FileDescriptor& peer);
  bool from_driver(const FileDescriptor& peer);
  void refuse_another();
  void part();
  void end_with(std::string why);
  [[nodiscard]] bool readable(const FileDescriptor& socket, std::chrono::milliseconds timeout) const;
  [[nodiscard]] bool stops_within(std::chrono::milliseconds timeout) const;

  MemifRelayOptions options_;
  FileDescriptor listener_;
  FileDescriptor stop_;        // an eventfd
  FileDescriptor driver_end_;  // of the connection
  BurstGate* gate_ = nullptr;
  MemifDriver driver_;
  MemifMemory memory_;      // of the connection
  bool connected_ = false;  // the driver may use the shared memory
  mutable std::mutex mutex_;
  std::string ended_;
  std::jthread thread_;
};

}  // namespace hilgate
