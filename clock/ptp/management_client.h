// SPDX-License-Identifier: Apache-2.0
// Talks to ptp4l on its local socket (AF_UNIX datagrams).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock/ptp/ptp_management.h"
#include "host/file_descriptor.h"

namespace hilgate {

struct ManagementOptions {
  std::filesystem::path server = "/var/run/ptp4l";   // ptp4l's uds_address
  std::filesystem::path directory = "/run/hilgate";  // for our own socket; ptp4l must be able to reach it
  std::uint8_t domain = 0;
};

/// What one round of questions brought.
struct ManagementAnswers {
  std::optional<TimeStatus> time_status;
  std::optional<CurrentDataSet> current;
  std::optional<TimeProperties> properties;
  std::vector<PortDataSet> ports;
  std::string problem;  // why answers are missing
};

/// One thread. ptp4l may come and go: each round of questions connects to its path anew. The kernel then takes messages
/// from ptp4l's own socket alone, ours is closed to other users, and no sequence number can be guessed from the last.
class ManagementClient {
 public:
  /// Binds a socket of its own in `directory`, made if it is missing. Throws std::system_error when that fails.
  explicit ManagementClient(ManagementOptions options);
  ~ManagementClient();
  ManagementClient(const ManagementClient&) = delete;
  ManagementClient& operator=(const ManagementClient&) = delete;

  /// Asks for all data sets at once, back to back, so that they belong to the same Sync, and waits for the answers
  /// for at most `timeout`.
  ManagementAnswers ask(std::chrono::milliseconds timeout);

  /// Subscribes to changes of port states for `seconds`. The word "refused" comes back from ask() only;
  /// false: the request could not even be sent.
  bool subscribe(std::uint16_t seconds);
  /// The next notification that has arrived; never waits.
  std::optional<PortDataSet> next_notification();

  /// Datagrams that were no management response, since the start.
  [[nodiscard]] std::uint64_t malformed() const { return malformed_; }
  /// Answers for another client, too late, or with an error, since the start.
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }
  /// Readable when ptp4l has sent a message.
  [[nodiscard]] int descriptor() const { return socket_.get(); }

 private:
  std::string connect();
  std::string send(std::span<const std::byte> message);
  std::optional<ManagementReply> receive(std::span<std::byte> buffer);
  void take(const ManagementReply& reply, ManagementAnswers& answers);
  [[nodiscard]] ManagementRequest request(ManagementId id) const;

  ManagementOptions options_;
  std::filesystem::path own_path_;
  PortIdentity identity_;
  std::uint16_t sequence_ = 0;
  FileDescriptor socket_;
  std::uint64_t malformed_ = 0;
  std::uint64_t ignored_ = 0;
};

}  // namespace hilgate
