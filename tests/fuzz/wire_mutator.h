// SPDX-License-Identifier: Apache-2.0
// Changes of messages that stay messages: without them, nearly every input of a fuzzer ends in the parser of the
// format.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hilgate::test {

/// Changes one thing in a protobuf message behind the first `prefix` bytes of the input: a field is doubled, left out,
/// moved, nested or given another value, at any depth; bytes that read as a message count as one. One time in five, and
/// where there is no message, any bytes. `room` bytes are there. Returns the new size. As LLVMFuzzerCustomMutator.
std::size_t mutate_protobuf(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed,
                            std::size_t prefix = 0);

/// Changes any bytes of a PTP message and then, mostly, gives it a type, version 2 and the length that it has.
std::size_t mutate_ptp(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed);

}  // namespace hilgate::test
