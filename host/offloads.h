// SPDX-License-Identifier: Apache-2.0
// What an interface must not do on its own when frames are to be on the wire as they will be on the air.
//
// With transmit checksumming left on, veth delivers packets whose checksums were never computed; with segmentation
// offload, "frames" of 64 KiB; with VLAN insertion, frames whose tag is not among their bytes.
#pragma once

#include <string>
#include <vector>

namespace hilgate {

/// The features of an interface of the calling thread's namespace that are on though they must be off: checksums
/// (transmit and receive), segmentation (TSO, GSO, UFO), receive merging (GRO, LRO), scatter-gather, VLAN tags
/// outside the frame. Names as `ethtool -k` prints the detailed ones. Throws std::runtime_error.
std::vector<std::string> offloads_on(const std::string& interface);

/// Turns them off and reads them back: a feature that stays on is a std::runtime_error that names it.
void turn_offloads_off(const std::string& interface);

/// Has the interface leave VLAN tags of frames that arrive among their bytes. Returns the features that were turned off
/// for that; none when the tags are there already. Throws std::runtime_error.
std::vector<std::string> leave_vlan_tags_in_frames(const std::string& interface);

}  // namespace hilgate
