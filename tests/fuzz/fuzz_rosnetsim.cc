// SPDX-License-Identifier: Apache-2.0
// The first byte chooses the message; the rest is packed as the wire wants it, so that the fuzzer gets behind gzip.
#include "netsim_link/rosnetsim/rosnetsim_network_codec.h"
#include "physics_link/rosnetsim/rosnetsim_physics_codec.h"
#include "tests/fuzz/wire_mutator.h"

namespace hilgate::test {

void decode(std::uint8_t choice, std::string_view plain) {
  static Gzip gzip;
  std::string body;
  gzip.pack(plain, body);
  RosNetSimPhysicsCodec physics({.robots = 3, .check_window = false, .window = Nanoseconds{1000}});
  RosNetSimNetworkCodec network({.robot_ips = {1, 2, 3}, .check_window = false, .window = Nanoseconds{1000}});
  Scene scene;
  (void)rosnetsim::decode_channels(plain, 3, static_cast<rosnetsim::SightRule>(choice & 1), scene);
  PhysicsAnswer end;
  (void)physics.decode_end(body, end);
  NetworkAnswer answer;
  (void)network.decode_end(body, answer);
  ReceivedNetworkQuestion question;
  (void)network.decode_begin(body, question);
  network.encode_end(answer, body);
}

}  // namespace hilgate::test

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed) {
  return hilgate::test::mutate_protobuf(data, size, room, seed, 1);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) {
    hilgate::test::decode(data[0], {reinterpret_cast<const char*>(data + 1), size - 1});
  }
  return 0;
}
