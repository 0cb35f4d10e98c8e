// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/datagram_sender.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <asio/buffer.hpp>
#include <utility>

namespace hilgate {

DatagramSender::DatagramSender(asio::io_context& context, std::string what, std::string key)
    : what_(std::move(what)), key_(std::move(key)), socket_(context) {}

void DatagramSender::open(const IpAddress& to, std::uint16_t port) {
  to_ = {asio::ip::make_address(to.text()), port};
  socket_.open(to_.protocol());
  socket_.non_blocking(true);
  if (to.is_v4()) {
    socket_.set_option(asio::socket_base::broadcast(true));
  }
}

bool DatagramSender::send(std::span<const std::byte> datagram) {
  asio::error_code error;
  socket_.send_to(asio::buffer(datagram.data(), datagram.size()), to_, 0, error);
  const std::string fault = error ? error.message() : "";
  if (fault != fault_) {
    error ? spdlog::warn("{}: {} cannot be reached: {}; check `{}` and the routes of this machine", what_, this->to(),
                         fault, key_)
          : spdlog::info("{}: datagrams are sent again", what_);
    fault_ = fault;
  }
  error ? ++refused_ : ++sent_;
  return !error;
}

std::string DatagramSender::to() const {
  const std::string host = to_.address().to_string();
  return to_.address().is_v4() ? fmt::format("{}:{}", host, to_.port()) : fmt::format("[{}]:{}", host, to_.port());
}

std::optional<std::string> DatagramSender::fault() const {
  return fault_.empty() ? std::nullopt : std::optional(fault_);
}

}  // namespace hilgate
