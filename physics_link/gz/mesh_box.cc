// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/mesh_box.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace hilgate::gz {
namespace {

constexpr std::size_t kStlHead = 84;      // binary: 80 bytes of text, and how many triangles
constexpr std::size_t kStlTriangle = 50;  // a normal and three corners of three floats, and two bytes

class Around {
 public:
  void add(double x, double y, double z) {
    box_.low = {std::min(box_.low.x, x), std::min(box_.low.y, y), std::min(box_.low.z, z)};
    box_.high = {std::max(box_.high.x, x), std::max(box_.high.y, y), std::max(box_.high.z, z)};
    any_ = true;
  }
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] const Box& box() const { return box_; }

 private:
  static constexpr double kFar = std::numeric_limits<double>::max();
  Box box_{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  bool any_ = false;
};

// Lines "v x y z" of OBJ, "vertex x y z" of STL as text.
void add_lines(const std::string& bytes, const std::string& word, Around& around) {
  std::istringstream text(bytes);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string first;
    double x = 0;
    double y = 0;
    double z = 0;
    if (words >> first >> x >> y >> z && first == word) {
      around.add(x, y, z);
    }
  }
}

bool add_binary_stl(const std::string& bytes, Around& around) {
  std::uint32_t triangles = 0;
  if (bytes.size() < kStlHead) {
    return false;
  }
  std::memcpy(&triangles, bytes.data() + kStlHead - sizeof(triangles), sizeof(triangles));
  if (bytes.size() != kStlHead + kStlTriangle * std::size_t{triangles}) {
    return false;
  }
  for (std::size_t at = kStlHead; at < bytes.size(); at += kStlTriangle) {
    for (std::size_t corner = 1; corner <= 3; ++corner) {
      float xyz[3];
      std::memcpy(xyz, bytes.data() + at + corner * sizeof(xyz), sizeof(xyz));
      around.add(xyz[0], xyz[1], xyz[2]);
    }
  }
  return true;
}

}  // namespace

Box mesh_box(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw std::runtime_error("its mesh " + file.string() + " cannot be opened");
  }
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::string kind = file.extension();
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
  Around around;
  if (kind == ".obj") {
    add_lines(bytes, "v", around);
  } else if (kind == ".stl") {
    if (!add_binary_stl(bytes, around)) {
      add_lines(bytes, "vertex", around);
    }
  } else {
    throw std::runtime_error("its mesh " + file.string() + " is neither .obj nor .stl");
  }
  if (!around.any()) {
    throw std::runtime_error("its mesh " + file.string() + " has no corners");
  }
  return around.box();
}

}  // namespace hilgate::gz
