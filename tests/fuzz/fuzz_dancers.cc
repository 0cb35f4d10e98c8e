// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/dancers/dancers_network_codec.h"
#include "physics_link/dancers/dancers_physics_codec.h"
#include "tests/fuzz/wire_mutator.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed) {
  return hilgate::test::mutate_protobuf(data, size, room, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  static Gzip gzip;
  const std::string_view plain(reinterpret_cast<const char*>(data), size);
  std::string payload;
  gzip.pack(plain, payload);
  DancersPhysicsCodec physics({.robots = 3});
  DancersNetworkCodec network({.robots = 3});
  // As a message, and as the payload of one.
  for (const dancers::Kind kind : {dancers::Kind::kBegin, dancers::Kind::kEnd}) {
    std::string body;
    dancers::encode({.kind = kind, .payload = payload}, dancers::Version::kLegacy, gzip, body);
    for (const std::string& given : {body, payload}) {
      PhysicsAnswer scene;
      (void)physics.decode_end(given, scene);
      ReceivedNetworkQuestion question;
      (void)network.decode_begin(given, question);
      NetworkAnswer answer;
      (void)network.decode_end(given, answer);
    }
  }
  return 0;
}
