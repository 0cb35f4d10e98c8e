// SPDX-License-Identifier: Apache-2.0
#include "dpdk/memif_relay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

#include "host/unix_socket.h"

namespace hilgate {
namespace {

constexpr std::chrono::milliseconds kAgain{200};  // a client tries to connect this often
constexpr std::chrono::milliseconds kLook{1};     // for what has no descriptor to wait for
constexpr std::chrono::milliseconds kForever{-1};
constexpr std::chrono::milliseconds kPatience{1000};  // for a client's first message

// Offsets of the fields of a message, which is packed, in the byte order of the host.
constexpr std::size_t kHelloName = 2, kHelloLeastVersion = 34, kHelloMostVersion = 36, kHelloLastRegion = 38;
constexpr std::size_t kHelloMostLog2Ring = 44;  // between: the numbers of the last rings, 0
constexpr std::size_t kInitVersion = 2, kInitId = 4, kInitMode = 8;
constexpr std::size_t kRegionIndex = 2, kRegionSize = 4;
constexpr std::size_t kRingRegion = 6, kRingOffset = 8, kRingLog2Size = 12;
constexpr std::size_t kDisconnectText = 6, kDisconnectTextBytes = 96;

constexpr std::uint64_t kRingHeaderBytes = 128, kDescriptorBytes = 16;
constexpr std::uint16_t kVersion = 2 << 8;
constexpr std::uint8_t kEthernet = 0;  // an interface's mode
constexpr std::uint8_t kLongestLog2Ring = 14;
constexpr std::size_t kMostRegions = 256;

template <class T>
T field(const MemifMessage& message, std::size_t offset) {
  T value{};
  std::memcpy(&value, message.bytes.data() + offset, sizeof(value));
  return value;
}

template <class T>
void set_field(MemifMessage& message, std::size_t offset, T value) {
  std::memcpy(message.bytes.data() + offset, &value, sizeof(value));
}

MemifMessage message_of(MemifMessage::Type type) {
  MemifMessage message;
  set_field(message, 0, static_cast<std::uint16_t>(type));
  return message;
}

sockaddr_un memif_address(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.size() >= sizeof address.sun_path) {
    throw std::system_error(ENAMETOOLONG, std::generic_category(), path);
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

FileDescriptor memif_socket() {
  return FileDescriptor(
      checked(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "a socket for memif"));
}

FileDescriptor listen_at(const std::string& path) {
  free_socket_path(path);
  FileDescriptor socket = memif_socket();
  const sockaddr_un address = memif_address(path);
  checked(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), path);
  share_socket_path(path);
  checked(::listen(socket.get(), 4), path);
  return socket;
}

// None when no process listens there, or it takes no more connections.
FileDescriptor connect_to(const std::string& path) {
  FileDescriptor socket = memif_socket();
  const sockaddr_un address = memif_address(path);
  const int result = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  return result == 0 ? std::move(socket) : FileDescriptor();
}

bool send_message(const FileDescriptor& to, const MemifMessage& message) {
  iovec bytes{const_cast<std::byte*>(message.bytes.data()), MemifMessage::kBytes};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  if (message.file.valid()) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* const files = CMSG_FIRSTHDR(&header);
    files->cmsg_len = CMSG_LEN(sizeof(int));
    files->cmsg_level = SOL_SOCKET;
    files->cmsg_type = SCM_RIGHTS;
    const int file = message.file.get();
    std::memcpy(CMSG_DATA(files), &file, sizeof(file));
  }
  return ::sendmsg(to.get(), &header, MSG_NOSIGNAL) == static_cast<ssize_t>(MemifMessage::kBytes);
}

// The kernel installs every descriptor that fits into the control buffer: those beyond the first are closed.
void take_files(msghdr& header, MemifMessage& message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof(descriptor));
      FileDescriptor file(descriptor);
      if (!message.file.valid()) {
        message.file = std::move(file);
      }
    }
  }
}

// Nothing at the end of the connection, with an empty `problem`, and for what is no message.
std::optional<MemifMessage> receive_message(const FileDescriptor& from, std::string& problem) {
  MemifMessage message;
  iovec bytes{message.bytes.data(), MemifMessage::kBytes};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(ucred))> control{};
  msghdr header{};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t count = ::recvmsg(from.get(), &header, MSG_CMSG_CLOEXEC);
  if (count <= 0) {
    return std::nullopt;
  }
  take_files(header, message);
  if (count != static_cast<ssize_t>(MemifMessage::kBytes) || (header.msg_flags & MSG_TRUNC) != 0) {
    problem = fmt::format("the peer sent a control message of {} B; memif's have {} B", count, MemifMessage::kBytes);
    return std::nullopt;
  }
  return message;
}

}  // namespace

MemifMessage::Type MemifMessage::type() const {
  return static_cast<Type>(field<std::uint16_t>(*this, 0));
}

std::string MemifMessage::reason() const {
  std::string text;
  for (const std::byte byte : std::span(bytes).subspan(kDisconnectText, kDisconnectTextBytes)) {
    const char letter = static_cast<char>(byte);
    if (letter == '\0') {
      break;
    }
    text += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return text;
}

MemifMessage MemifMessage::disconnect(std::string_view reason) {
  MemifMessage message = message_of(Type::kDisconnect);
  std::memcpy(message.bytes.data() + kDisconnectText, reason.data(), std::min(reason.size(), kDisconnectTextBytes - 1));
  return message;
}

MemifMessage MemifMessage::hello() {
  constexpr std::string_view kName = "hilgate";
  MemifMessage message = message_of(Type::kHello);
  std::memcpy(message.bytes.data() + kHelloName, kName.data(), kName.size());
  set_field(message, kHelloLeastVersion, kVersion);
  set_field(message, kHelloMostVersion, kVersion);
  set_field(message, kHelloLastRegion, static_cast<std::uint16_t>(kMostRegions - 1));
  set_field(message, kHelloMostLog2Ring, kLongestLog2Ring);
  return message;
}

std::string MemifMemory::refuse(const MemifMessage& message) {
  switch (message.type()) {
    case MemifMessage::Type::kAddRegion:
      return refuse_region(message);
    case MemifMessage::Type::kAddRing:
      return refuse_ring(message);
    default:
      return "";
  }
}

// Memory that shrinks while it is mapped ends the process that reads it with SIGBUS.
std::string MemifMemory::refuse_region(const MemifMessage& message) {
  const auto index = field<std::uint16_t>(message, kRegionIndex);
  const auto size = field<std::uint64_t>(message, kRegionSize);
  if (index != regions_.size() || index >= kMostRegions) {
    return fmt::format("its memory region {} is not the next one, {}", index, regions_.size());
  }
  struct stat info {};
  if (!message.file.valid() || ::fstat(message.file.get(), &info) != 0) {
    return fmt::format("its memory region {} has no file", index);
  }
  const int seals = ::fcntl(message.file.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return fmt::format("its memory region {} could shrink while it is mapped: it is not a memfd with F_SEAL_SHRINK",
                       index);
  }
  if (size == 0 || size > static_cast<std::uint64_t>(info.st_size)) {
    return fmt::format("its memory region {} is said to have {} B, and its file has {} B", index, size, info.st_size);
  }
  regions_.push_back(size);
  return "";
}

std::string MemifMemory::refuse_ring(const MemifMessage& message) const {
  const auto region = field<std::uint16_t>(message, kRingRegion);
  const auto offset = field<std::uint32_t>(message, kRingOffset);
  const auto log2_size = field<std::uint8_t>(message, kRingLog2Size);
  if (log2_size > kLongestLog2Ring) {
    return fmt::format("a ring of 2^{} descriptors is too long; the most are 2^{}", log2_size, kLongestLog2Ring);
  }
  if (region >= regions_.size()) {
    return fmt::format("a ring is in memory region {}, of {}", region, regions_.size());
  }
  const std::uint64_t end = offset + kRingHeaderBytes + (kDescriptorBytes << log2_size);
  if (offset % kDescriptorBytes != 0 || end > regions_[region]) {
    return fmt::format("a ring at {} to {} B is not within its memory region of {} B", offset, end, regions_[region]);
  }
  return "";
}

MemifRelay::MemifRelay(MemifRelayOptions options)
    : options_(std::move(options)),
      listener_(listen_at(options_.server ? options_.socket : options_.driver_socket)),
      stop_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "an eventfd for memif")) {}

MemifRelay::~MemifRelay() {
  stop();
  remove_socket_path(options_.server ? options_.socket : options_.driver_socket);
}

void MemifRelay::start(BurstGate& gate, MemifDriver driver) {
  gate_ = &gate;
  driver_ = std::move(driver);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void MemifRelay::stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    ::eventfd_write(stop_.get(), 1);
    thread_.join();
  }
}

std::string MemifRelay::ended() const {
  const std::scoped_lock lock(mutex_);
  return ended_;
}

void MemifRelay::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const FileDescriptor peer = next_peer();
    if (peer.valid() && meet_driver(peer)) {
      memory_ = {};
      relay(peer);
      part();
    }
  }
}

FileDescriptor MemifRelay::accept_one() {
  return FileDescriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

// None when the relay stops.
FileDescriptor MemifRelay::next_peer() {
  if (options_.server) {
    return readable(listener_, kForever) ? accept_one() : FileDescriptor();
  }
  FileDescriptor peer;
  do {
    peer = connect_to(options_.socket);
  } while (!peer.valid() && !stops_within(kAgain));
  return peer;
}

// As a server the driver is left alone until it has a client of its own, and until its first message, which the client
// has already: a connection that ends before that is what it does not survive.
bool MemifRelay::meet_driver(const FileDescriptor& peer) {
  if (!options_.server) {
    driver_end_ = readable(listener_, kForever) ? accept_one() : FileDescriptor();
    return driver_end_.valid();
  }
  const auto init = greet(peer);
  if (!init) {
    return false;
  }
  driver_end_ = connect_to(options_.driver_socket);
  std::string problem;
  if (!driver_end_.valid() || !readable(driver_end_, kForever) || !receive_message(driver_end_, problem) ||
      !send_message(driver_end_, *init)) {
    end_with("DPDK's driver takes no connections");
    return false;
  }
  return true;
}

// What the client asks for, if this port is that.
std::optional<MemifMessage> MemifRelay::greet(const FileDescriptor& peer) {
  send_message(peer, MemifMessage::hello());
  std::string problem;
  auto init = readable(peer, kPatience) ? receive_message(peer, problem) : std::nullopt;
  if (!init) {
    end_with(problem.empty() ? "the peer did not ask for an interface" : problem);
    return std::nullopt;
  }
  if (const std::string why = refuse_init(*init); !why.empty()) {
    refuse(peer, why);
    return std::nullopt;
  }
  return init;
}

std::string MemifRelay::refuse_init(const MemifMessage& message) const {
  if (message.type() != MemifMessage::Type::kInit) {
    return "the peer's first message does not ask for an interface";
  }
  if (const auto version = field<std::uint16_t>(message, kInitVersion); version != kVersion) {
    return fmt::format("the peer has version {}.{} of memif; 2.0 is needed", version >> 8, version & 0xFF);
  }
  if (const auto id = field<std::uint32_t>(message, kInitId); id != options_.id) {
    return fmt::format("the peer asked for the interface with id {}", id);
  }
  if (const auto mode = field<std::uint8_t>(message, kInitMode); mode != kEthernet) {
    return fmt::format("the peer asked for an interface of mode {}; Ethernet is needed", mode);
  }
  return "";
}

void MemifRelay::refuse(const FileDescriptor& peer, const std::string& why) {
  send_message(peer, MemifMessage::disconnect(why));
  end_with(why);
}

// Until one of the two ends the connection, or the relay stops.
void MemifRelay::relay(const FileDescriptor& peer) {
  for (bool more = true; more;) {
    std::array<pollfd, 4> watched{{{peer.get(), POLLIN, 0},
                                   {driver_end_.get(), POLLIN, 0},
                                   {stop_.get(), POLLIN, 0},
                                   {options_.server ? listener_.get() : -1, POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), -1);
    if (watched[2].revents != 0) {
      return;
    }
    if (watched[3].revents != 0) {
      refuse_another();
    }
    more = (watched[1].revents == 0 || from_driver(peer)) && (watched[0].revents == 0 || from_peer(peer));
  }
}

void MemifRelay::refuse_another() {
  if (const FileDescriptor another = accept_one(); another.valid()) {
    send_message(another, MemifMessage::disconnect("Already connected"));
  }
}

bool MemifRelay::from_driver(const FileDescriptor& peer) {
  std::string problem;
  const auto message = receive_message(driver_end_, problem);
  if (!message) {
    end_with("DPDK's driver ended it");
    return false;
  }
  const bool sent = send_message(peer, *message);
  if (message->type() == MemifMessage::Type::kDisconnect) {
    end_with(fmt::format("DPDK's driver ended it: {}", message->reason()));
    return false;
  }
  return sent;
}

bool MemifRelay::from_peer(const FileDescriptor& peer) {
  std::string problem;
  const auto message = receive_message(peer, problem);
  if (!message) {
    end_with(problem.empty() ? "the peer ended it" : problem);
    return false;
  }
  const auto type = message->type();
  if (type == MemifMessage::Type::kDisconnect) {
    end_with(fmt::format("the peer ended it: {}", message->reason()));
    return false;
  }
  problem = connected_        ? "the peer sent a control message after it had connected"
            : options_.server ? memory_.refuse(*message)
                              : "";
  if (!problem.empty()) {
    refuse(peer, problem);
    return false;
  }
  connected_ = type == MemifMessage::Type::kConnect || type == MemifMessage::Type::kConnected;
  if (!send_message(driver_end_, *message)) {
    return false;
  }
  if (connected_) {
    // A driver that refuses ends the connection, which shows at its socket.
    while (!driver_.linked() && !readable(driver_end_, std::chrono::milliseconds{0}) && !stops_within(kLook)) {
    }
    driver_.changed();
  }
  return true;
}

// The driver unmaps the shared memory as soon as its connection ends.
void MemifRelay::part() {
  const bool reconnects = !options_.server;
  const bool closes = std::exchange(connected_, false) || reconnects;
  if (closes) {
    gate_->close();
  }
  while (closes && !gate_->is_closed()) {
    if (stops_within(kLook)) {
      return;
    }
  }
  if (reconnects) {
    driver_.settle();
    while (!driver_.reconnect()) {
      if (stops_within(kAgain)) {
        return;
      }
    }
    driver_end_.close();
  } else {
    driver_end_.close();
    driver_.settle();
  }
  if (closes) {
    gate_->open();
    driver_.changed();
  }
  static_cast<void>(stops_within(kAgain));  // a peer that is refused comes again at once
}

void MemifRelay::end_with(std::string why) {
  const std::scoped_lock lock(mutex_);
  ended_ = std::move(why);
}

// False at the end of the time, and when the relay stops.
bool MemifRelay::readable(const FileDescriptor& socket, std::chrono::milliseconds timeout) const {
  std::array<pollfd, 2> watched{{{socket.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
  ::poll(watched.data(), watched.size(), static_cast<int>(timeout.count()));
  return watched[0].revents != 0 && watched[1].revents == 0;
}

bool MemifRelay::stops_within(std::chrono::milliseconds timeout) const {
  pollfd watched{stop_.get(), POLLIN, 0};
  return ::poll(&watched, 1, static_cast<int>(timeout.count())) > 0;
}

}  // namespace hilgate
