// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "config/config_file.h"
#include "host/accept_loop.h"
#include "host/background_work.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// Makes room for a control socket: removes one that a run has left. Throws std::runtime_error where a run is still
/// listening, or where something that is no socket lies.
void clear_socket_path(const std::filesystem::path& path);

/// The line of a negative answer.
nlohmann::ordered_json refusal(const std::string& why);
/// With where the configuration is wrong.
nlohmann::ordered_json refusal(const ConfigError& error);

/// The run's control socket: a local stream socket; a client writes one line of JSON {"command": NAME, ...}, at most 64
/// KiB, and reads one line of JSON back, {"ok": true, "result": ...} or {"ok": false, "error": TEXT}. Several requests
/// may follow each other. A client that sends nothing for 30 s, or takes no answer for 10 s, is disconnected, and
/// earlier when all seats are taken and another client connects; when all clients wait for answers, the new one waits.
///
/// Any client may ask questions; commands that change the run are for operators: root, the user that the gateway runs
/// as, and members of the service group. Windows have priority: questions and invalid requests take a tenth of the
/// control thread's time at most, and wait when they would take more; what another thread takes for them counts as
/// well, so that no client occupies that. Changes wait for the document that is being made: no client that has its
/// change confirmed gets an answer from before it. Clients that wait for the same answer share one; clients that have
/// disconnected get no answer. Control thread.
class ControlServer {
 public:
  /// Carries out a request; may throw std::exception, whose text the client gets.
  using Handler = std::function<nlohmann::ordered_json(const nlohmann::json& request)>;
  /// Receives a client's connection after the answer to a request that was carried out; the seat must be kept as long
  /// as the connection.
  using Stream = std::function<void(const nlohmann::json& request, FileDescriptor socket, ConnectionSeat seat)>;
  /// The line that the client gets: {"ok": true, "result": ...} or {"ok": false, "error": TEXT}.
  using Answer = std::function<void(const nlohmann::ordered_json& line)>;
  /// Carries out a change that needs others, and answers when they have, on the control thread; false: the handler is
  /// to carry it out. May throw as the handler does.
  using Later = std::function<bool(const nlohmann::json& request, Answer answer)>;
  /// Makes the result of a question whose text takes long to make, from what it owns; called once, on another thread.
  using Document = std::function<nlohmann::ordered_json()>;
  /// Gathers that for a question; empty: the handler answers it. May throw as the handler does.
  using Gather = std::function<Document(const nlohmann::json& request)>;
  struct Commands {
    std::set<std::string> changes;               // for operators
    std::set<std::string> streams;               // likewise: after the answer the connection is the stream's
    Later later{};                               // of changes; may be none
    Gather gather{};                             // of questions; may be none
    BackgroundWork background = work_on_thread;  // makes documents, one at a time
  };

  struct Limits {
    int thread_share = 12;  // questions take one in so many of the control thread's time, with what sending takes less
    AcceptLimits connections{.others_wait = true};
  };

  /// Listens at `path`, mode 0660, of the service group. A socket left by a dead process is replaced. Throws
  /// std::runtime_error when another process listens there, when the path is something else than a socket, or when it
  /// cannot be made.
  ControlServer(asio::io_context& context, std::filesystem::path path, Commands commands, Handler handler,
                Stream stream, const Limits& limits);
  /// With the limits of a run.
  ControlServer(asio::io_context& context, std::filesystem::path path, Commands commands, Handler handler,
                Stream stream);
  /// Removes the socket.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

 private:
  class Session;
  struct Desk;
  using Acceptor = asio::local::stream_protocol::acceptor;

  std::filesystem::path path_;
  std::shared_ptr<Desk> desk_;
  Acceptor acceptor_;
  std::optional<AcceptLoop<Acceptor>> accept_loop_;
};

}  // namespace hilgate
