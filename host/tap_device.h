// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hilgate {

/// A TAP device: a network interface whose other end is a descriptor, of a virtual machine's for example.
class TapDevice {
 public:
  /// Takes the TAP device `name`, or makes it, for root and, where one is named, `user` to open. Throws
  /// std::runtime_error, also when the interface of that name is no TAP device, or there is no such user.
  explicit TapDevice(std::string name, const std::string& user = {});
  /// Removes it if it was made here, also while it is open elsewhere.
  ~TapDevice();
  TapDevice(const TapDevice&) = delete;
  TapDevice& operator=(const TapDevice&) = delete;

  [[nodiscard]] bool made() const { return made_ != 0; }

 private:
  void make(const std::string& user);

  std::string name_;
  unsigned made_ = 0;  // its index; 0: it was there
};

}  // namespace hilgate
