// SPDX-License-Identifier: Apache-2.0
#include "physics_link/dis/radio_pdus.h"

#include <bit>
#include <chrono>
#include <span>

#include "host/byte_cursor.h"

namespace hilgate::dis {
namespace {

using Room = std::span<std::byte>;

constexpr std::uint8_t kTransmitterType = 25;
constexpr std::uint8_t kReceiverType = 27;
constexpr std::uint8_t kRadioCommunications = 4;  // protocol family

void put_float(Room pdu, std::size_t offset, double value) {
  store_be(pdu, offset, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

void put_radio(Room pdu, std::size_t offset, const RadioId& radio) {
  store_be(pdu, offset, radio.entity.site);
  store_be(pdu, offset + 2, radio.entity.application);
  store_be(pdu, offset + 4, radio.entity.entity);
  store_be(pdu, offset + 6, radio.radio);
}

// Units of 1 h / 2^31 since the hour, above a bit that is 1 for a clock that is UTC (6.2.88, absolute).
std::uint32_t timestamp_of(Nanoseconds utc) {
  constexpr std::int64_t kHour = Nanoseconds(std::chrono::hours(1)).count();
  const double part = static_cast<double>(utc.count() % kHour) / static_cast<double>(kHour);
  return static_cast<std::uint32_t>(part * 2147483648.0) << 1U | 1U;
}

void put_header(Room pdu, std::uint8_t type, const RadioHeader& header) {
  store_be<std::uint8_t>(pdu, 0, 7);  // version: IEEE 1278.1-2012
  store_be<std::uint8_t>(pdu, 1, header.exercise);
  store_be<std::uint8_t>(pdu, 2, type);
  store_be<std::uint8_t>(pdu, 3, kRadioCommunications);
  store_be<std::uint32_t>(pdu, 4, timestamp_of(header.utc));
  store_be<std::uint16_t>(pdu, 8, static_cast<std::uint16_t>(pdu.size()));
  put_radio(pdu, 12, header.radio);
}

}  // namespace

std::array<std::byte, kTransmitterSize> transmitter_pdu(const RadioHeader& header, const Transmitter& transmitter) {
  std::array<std::byte, kTransmitterSize> pdu{};
  put_header(pdu, kTransmitterType, header);
  store_be<std::uint8_t>(pdu, 20, 7);  // entity type: kind radio
  store_be<std::uint8_t>(pdu, 24, 2);  // category: data
  store_be<std::uint8_t>(pdu, 28, static_cast<std::uint8_t>(transmitter.state));
  const Vec3& at = transmitter.antenna;
  std::size_t offset = 32;
  for (const double metres : {at.x, at.y, at.z}) {
    store_be(pdu, offset, std::bit_cast<std::uint64_t>(metres));
    offset += sizeof metres;
  }
  const Vec3& on_body = transmitter.antenna_on_body;
  for (const double metres : {on_body.x, on_body.y, on_body.z}) {
    put_float(pdu, offset, metres);
    offset += sizeof(float);
  }
  const Emission& emission = transmitter.emission;
  store_be<std::uint64_t>(pdu, 72, emission.frequency_hz);
  put_float(pdu, 80, emission.bandwidth_hz);
  put_float(pdu, 84, emission.power_dbm);
  store_be<std::uint16_t>(pdu, 88, emission.spread_spectrum ? 2 : 0);  // bit 1: pseudo noise
  store_be<std::uint16_t>(pdu, 90, static_cast<std::uint16_t>(emission.modulation));
  store_be<std::uint16_t>(pdu, 94, 1);  // system: generic radio
  return pdu;
}

std::array<std::byte, kReceiverSize> receiver_pdu(const RadioHeader& header, const Receiver& receiver) {
  std::array<std::byte, kReceiverSize> pdu{};
  put_header(pdu, kReceiverType, header);
  store_be<std::uint16_t>(pdu, 20, static_cast<std::uint16_t>(receiver.state));
  put_float(pdu, 24, receiver.power_dbm);
  put_radio(pdu, 28, receiver.transmitter);
  return pdu;
}

}  // namespace hilgate::dis
