// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/management_client.h"

#include <fmt/core.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>

namespace hilgate {
namespace {

sockaddr_un address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    throw std::runtime_error(fmt::format("clock: socket path '{}' has {} bytes; the maximum is {}", path.native(),
                                         path.native().size(), sizeof address.sun_path - 1));
  }
  path.native().copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

std::string user_name(uid_t uid) {
  const passwd* entry = getpwuid(uid);
  return entry != nullptr ? entry->pw_name : std::to_string(uid);
}

std::string group_name(gid_t gid) {
  const group* entry = getgrgid(gid);
  return entry != nullptr ? entry->gr_name : std::to_string(gid);
}

std::uint16_t unguessable() {
  std::uint16_t number = 0;
  checked(static_cast<int>(getrandom(&number, sizeof number, 0)), "clock: getrandom");
  return number;
}

std::string not_permitted(const std::filesystem::path& server) {
  struct stat facts {};
  if (stat(server.c_str(), &facts) != 0) {
    return fmt::format("user {} cannot reach ptp4l's socket {}: no access to a directory of its path",
                       user_name(geteuid()), server.native());
  }
  return fmt::format(
      "user {} cannot write to ptp4l's socket {} (owner {}:{}, mode {:04o}): add the user to the group "
      "or "
      "set uds_address to a path that both can access",
      user_name(geteuid()), server.native(), user_name(facts.st_uid), group_name(facts.st_gid), facts.st_mode & 07777U);
}

std::string why_not_sent(int error, const std::filesystem::path& server) {
  switch (error) {
    case ENOENT:
      return fmt::format("socket {} does not exist: is ptp4l running with uds_address {}?", server.native(),
                         server.native());
    case ECONNREFUSED:
      return fmt::format("no process listens on {}: ptp4l has exited and left its socket", server.native());
    case EACCES:
    case EPERM:
      return not_permitted(server);
    case EAGAIN:
      return fmt::format("ptp4l at {} accepts no more requests: it is stopped or overloaded", server.native());
    default:
      return fmt::format("cannot send a request to ptp4l at {}: {}", server.native(),
                         std::generic_category().message(error));
  }
}

}  // namespace

ManagementClient::ManagementClient(ManagementOptions options) : options_(std::move(options)) {
  static std::atomic<std::uint16_t> clients{0};
  identity_.port = ++clients;
  const auto pid = static_cast<std::uint32_t>(getpid());
  for (std::size_t i = 0; i < 4; ++i) {
    identity_.clock.bytes[i + 4] = static_cast<std::uint8_t>(pid >> (8 * i));
  }
  std::filesystem::create_directories(options_.directory);
  own_path_ = options_.directory / fmt::format("ptp-{}-{}", pid, identity_.port);
  socket_ = FileDescriptor{checked(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "clock: socket")};
  std::filesystem::remove(own_path_);
  checked(fchmod(socket_.get(), 0600), "clock: fchmod");  // before bind(), so that it never lies open
  const sockaddr_un own = address_of(own_path_);
  checked(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own),
          fmt::format("clock: cannot bind {} to talk to ptp4l", own_path_.native()));
}

ManagementClient::~ManagementClient() {
  std::error_code ignored;
  std::filesystem::remove(own_path_, ignored);
}

ManagementRequest ManagementClient::request(ManagementId id) const {
  return {.sender = identity_, .domain = options_.domain, .sequence = sequence_, .id = id};
}

// Empties the way of answers to who was there before, when that was another.
std::string ManagementClient::connect() {
  const sockaddr_un server = address_of(options_.server);
  const int result = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&server), sizeof server);
  return result == 0 ? std::string{} : why_not_sent(errno, options_.server);
}

std::string ManagementClient::send(std::span<const std::byte> message) {
  const ssize_t sent = ::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL);
  return sent >= 0 ? std::string{} : why_not_sent(errno, options_.server);
}

std::optional<ManagementReply> ManagementClient::receive(std::span<std::byte> buffer) {
  for (;;) {
    const ssize_t length = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (length < 0) {
      return std::nullopt;
    }
    const auto reply = parse_management(buffer.first(static_cast<std::size_t>(length)));
    if (!reply) {
      ++malformed_;
    } else if (reply->error || reply->domain != options_.domain || reply->target != identity_) {
      ++ignored_;
    } else {
      return reply;
    }
  }
}

void ManagementClient::take(const ManagementReply& reply, ManagementAnswers& answers) {
  switch (static_cast<ManagementId>(reply.id)) {
    case ManagementId::kTimeStatusNp:
      answers.time_status = parse_time_status(reply.data);
      break;
    case ManagementId::kCurrentDataSet:
      answers.current = parse_current_data_set(reply.data);
      break;
    case ManagementId::kTimeProperties:
      answers.properties = parse_time_properties(reply.data);
      break;
    case ManagementId::kPortDataSet:
      if (const auto port = parse_port_data_set(reply.data)) {
        answers.ports.push_back(*port);
      }
      break;
    default:
      ++ignored_;
  }
}

ManagementAnswers ManagementClient::ask(std::chrono::milliseconds timeout) {
  sequence_ = unguessable();
  ManagementAnswers answers;
  answers.problem = connect();
  if (!answers.problem.empty()) {
    return answers;
  }
  // The two that must belong together come last, and ptp4l answers in order: with them, the answer is complete.
  for (const ManagementId id : {ManagementId::kPortDataSet, ManagementId::kTimeProperties, ManagementId::kTimeStatusNp,
                                ManagementId::kCurrentDataSet}) {
    answers.problem = send(make_get(request(id)));
    if (!answers.problem.empty()) {
      return answers;
    }
  }
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  std::array<std::byte, 512> buffer;
  while (!answers.time_status || !answers.current) {
    if (const auto reply = receive(buffer)) {
      reply->sequence == sequence_ ? take(*reply, answers) : static_cast<void>(++ignored_);
      continue;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd readable{socket_.get(), POLLIN, 0};
    if (left.count() <= 0 || poll(&readable, 1, static_cast<int>(left.count())) <= 0) {
      answers.problem = fmt::format(
          "ptp4l at {} does not answer in domain {}: its domainNumber differs, it hangs, or it cannot reach "
          "the reply socket {}",
          options_.server.native(), options_.domain, own_path_.native());
      return answers;
    }
  }
  return answers;
}

bool ManagementClient::subscribe(std::uint16_t seconds) {
  sequence_ = unguessable();
  return connect().empty() && send(make_subscription(request(ManagementId::kSubscribeEventsNp), seconds)).empty();
}

std::optional<PortDataSet> ManagementClient::next_notification() {
  std::array<std::byte, 512> buffer;
  while (const auto reply = receive(buffer)) {
    if (static_cast<ManagementId>(reply->id) == ManagementId::kPortDataSet) {
      return parse_port_data_set(reply->data);
    }
  }
  return std::nullopt;
}

}  // namespace hilgate
