// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/native/native_network_codec.h"
#include "physics_link/native/native_physics_codec.h"
#include "tests/fuzz/wire_mutator.h"

namespace hilgate::test {

void decode_everything(std::string_view body) {
  const NativeOptions gateway{.hello = {.role = native::Role::kGateway, .robots = {"a", "b", "c"}}};
  NativePhysicsCodec physics(gateway);
  NativeNetworkCodec network(gateway);
  MaybeFault fault;
  std::string why;
  (void)network.control_message(body, fault, why);
  PhysicsAnswer scene;
  (void)physics.decode_end(body, scene);
  NetworkAnswer answer;
  (void)network.decode_end(body, answer);
  ReceivedPhysicsQuestion physics_question;
  (void)physics.decode_begin(body, physics_question);
  ReceivedNetworkQuestion network_question;
  (void)network.decode_begin(body, network_question);
  std::string again;
  network.encode_end(answer, again);
  physics.encode_end(scene, again);
}

}  // namespace hilgate::test

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed) {
  return hilgate::test::mutate_protobuf(data, size, room, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hilgate::test::decode_everything({reinterpret_cast<const char*>(data), size});
  return 0;
}
