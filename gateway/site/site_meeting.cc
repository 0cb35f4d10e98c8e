// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/site_meeting.h"

#include <fstream>
#include <iterator>
#include <string>

namespace hilgate {

void SiteDigest::add_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  add(std::string(std::istreambuf_iterator<char>(in), {}));
}

}  // namespace hilgate
