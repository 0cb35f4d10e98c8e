// SPDX-License-Identifier: Apache-2.0
// A frame as the impairments of a link see it, and what they can do to it. An impairment is a struct in a file of its
// own (impairments.h has the table) with what it needs of
//   static constexpr std::string_view kKey               its key in `links`
//   static std::optional<Model> read(YamlReader& link)   nothing when the key is not there
//   struct State                                         what a link remembers of it; plain data
//   std::optional<DropReason> lose(frame, state, random) const
//                                                        before bit errors: whether the frame is lost, and why
//   void retime(frame, state, random, timing) const      of a frame that arrives: when it leaves, how often
//   bool idle() const                                    it does nothing, and need not cost anything
//   bool timed_by_host() const                           it goes by the host's clock: not for other paces
//   double mean_loss() const                             share of all frames that it loses, 0 to 1: for the status
//   Nanoseconds mean_delay() const                       that it adds to every frame: for the status
//   Nanoseconds memory_delay() const                     for how long there is memory: most frames take no longer, or,
//                                                        where it delays single frames, the mean of all
#pragma once

#include <cstdint>
#include <optional>

#include "clock/time.h"

namespace hilgate {

struct ImpairedFrame {
  HostTime arrived{};          // when the frame was captured; does not go back on a link
  Nanoseconds since_start{0};  // and how long after the start of the run
  std::uint64_t seed = 0;      // of the run
  std::uint32_t link = 0;      // number of the link's random stream
};

struct ImpairedTiming {
  Nanoseconds delay{0};             // on top of what is constant
  bool loose = false;               // may overtake the frames in front of it
  std::optional<Nanoseconds> copy;  // delivered a second time, so much after the first
};

}  // namespace hilgate
