// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/site/bus_settings.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// A socket to hilgate-site, and its other end, which that program has. Both outlive restarts of it.
struct BusEnds {
  FileDescriptor own;
  FileDescriptor program;
};
/// Throws std::system_error.
BusEnds make_bus_ends();

/// Messages between a gateway and the others of its site, through hilgate-site. Control thread.
class SiteBus {
 public:
  /// kind, gateway, text. Texts are as others wrote them.
  using Take = std::function<void(BusKind, std::string_view, std::string_view)>;

  SiteBus(asio::io_context& context, FileDescriptor own, Take take);
  ~SiteBus() { *alive_ = false; }
  SiteBus(const SiteBus&) = delete;
  SiteBus& operator=(const SiteBus&) = delete;

  /// To all others. False: it does not go, because it is too long or hilgate-site takes nothing.
  bool send(BusKind kind, std::string_view text);

 private:
  void wait();
  void read();

  asio::posix::stream_descriptor socket_;
  Take take_;
  std::vector<char> room_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace hilgate
