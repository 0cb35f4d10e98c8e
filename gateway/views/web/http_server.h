// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "gateway/configuration/web_config.h"
#include "gateway/views/web/capture_relay.h"
#include "gateway/views/web/followers.h"
#include "gateway/views/web/http_messages.h"
#include "gateway/views/web/run_watch.h"
#include "host/accept_loop.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// Throws std::system_error, with the address, when it cannot listen there.
FileDescriptor listen_for_http(const WebListen& listen);

/// For people: http://127.0.0.1:8080/, of a socket that listens there.
std::string http_address(const WebListen& listen, const FileDescriptor& socket);

/// Has requests at the socket answered until SIGINT or SIGTERM: a connection each, at most 96 at a time. Who does not
/// say its request within 5 s, or takes nothing for 10 s, is sent away, and earlier when others come.
void serve_http(asio::io_context& context, const WebListen& listen, const FileDescriptor& socket, const HttpDesk& desk);

/// A connection with one request. Who does not say it within 5 s, or takes nothing for 10 s, is sent away; earlier when
/// others need the seat.
class WebSession : public std::enable_shared_from_this<WebSession> {
 public:
  using Socket = asio::generic::stream_protocol::socket;

  WebSession(Socket socket, ConnectionSeat seat, const HttpDesk& desk, ConnectionEviction& giving_way);
  void start();

 private:
  void read();
  void take(std::size_t length);
  void ask();
  void answer(HttpResponse response);
  void follow(RunWatch& watch, Followers::Place place);
  void capture(const CaptureQuestion& question);
  void send_piece(std::string bytes, std::function<void()> sent);
  void finish();
  void hear(const RunWatch::Text& report);
  void send_report();
  void notice_end();
  void drain();
  void close();
  void allow_eviction(EvictionReason because);
  void close_after(std::chrono::steady_clock::duration time);

  Socket socket_;
  asio::steady_timer deadline_;
  ConnectionSeat seat_;
  const HttpDesk& desk_;
  ConnectionEviction& giving_way_;
  ConnectionEviction::Place place_;
  HttpReader reader_;
  std::array<char, 4096> input_{};
  HttpResponse response_;
  std::string head_;
  RunWatch::Subscription subscription_;
  Followers::Place following_;
  RunWatch::Text newest_;  // not sent yet; older ones that a slow browser did not get in time are left out
  RunWatch::Text sending_;
  bool writing_ = false;
  bool ending_ = false;  // once what is being written is written
  std::weak_ptr<CaptureRelay> relay_;
  std::string piece_;  // of a capture
};

}  // namespace hilgate
