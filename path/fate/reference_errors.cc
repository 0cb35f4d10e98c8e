// SPDX-License-Identifier: Apache-2.0
#include "path/fate/reference_errors.h"

#include "frame/headers.h"
#include "host/big_endian.h"
#include "netsim_link/rosnetsim/rosnetsim_compat.h"

namespace hilgate {

bool spoil_as_reference(std::span<std::byte> frame, std::uint32_t payload, std::uint32_t receiver_ip, double ber,
                        FrameRandom random) {
  const std::span<std::byte> packet = frame.subspan(payload);
  if (receiver_ip != 0 && EtherType{load_be<std::uint16_t>(frame.data() + payload - 2)} == EtherType::kIpv4) {
    rosnetsim::compat_readdress(packet, receiver_ip);
  }
  return rosnetsim::compat_flip(packet, ber, random);
}

}  // namespace hilgate
