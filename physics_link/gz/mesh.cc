// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/mesh.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "host/plain_file.h"
#include "physics_link/place.h"

namespace hilgate::gz {
namespace {

constexpr std::size_t kStlHead = 84;      // binary: 80 bytes of text, and how many triangles
constexpr std::size_t kStlTriangle = 50;  // a normal and three corners of three floats, and two bytes

// The corner that "7", "7/1/2" or "-1" (the last one) names.
const Vec3* corner_of(const std::string& word, const std::vector<Vec3>& corners) {
  const long number = std::strtol(word.c_str(), nullptr, 10);
  const long count = static_cast<long>(corners.size());
  const long place = number < 0 ? count + number : number - 1;
  return place >= 0 && place < count ? &corners[static_cast<std::size_t>(place)] : nullptr;
}

std::vector<Triangle> obj_triangles(const std::string& bytes) {
  std::vector<Vec3> corners;
  std::vector<Triangle> triangles;
  std::istringstream text(bytes);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "v") {
      Vec3 corner;
      words >> corner.x >> corner.y >> corner.z;
      corners.push_back(corner);
    } else if (first == "f") {
      std::vector<const Vec3*> face;
      for (std::string word; words >> word;) {
        face.push_back(corner_of(word, corners));
      }
      const bool whole = std::all_of(face.begin(), face.end(), [](const Vec3* corner) { return corner != nullptr; });
      for (std::size_t i = 2; whole && i < face.size(); ++i) {
        triangles.push_back({*face[0], *face[i - 1], *face[i]});
      }
    }
  }
  return triangles;
}

std::vector<Triangle> text_stl_triangles(const std::string& bytes) {
  std::vector<Vec3> corners;
  std::istringstream text(bytes);
  for (std::string word; text >> word;) {
    Vec3 corner;
    if (word == "vertex" && text >> corner.x >> corner.y >> corner.z) {
      corners.push_back(corner);
    }
  }
  std::vector<Triangle> triangles;
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
    triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
  }
  return triangles;
}

std::vector<Triangle> stl_triangles(const std::string& bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= kStlHead) {
    std::memcpy(&count, bytes.data() + kStlHead - sizeof(count), sizeof(count));
  }
  if (bytes.size() < kStlHead || bytes.size() != kStlHead + kStlTriangle * std::size_t{count}) {
    return text_stl_triangles(bytes);
  }
  std::vector<Triangle> triangles(count);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      float xyz[3];
      std::memcpy(xyz, bytes.data() + kStlHead + i * kStlTriangle + (corner + 1) * sizeof(xyz), sizeof(xyz));
      triangles[i][corner] = {xyz[0], xyz[1], xyz[2]};
    }
  }
  return triangles;
}

Box box_around(const std::vector<Triangle>& triangles) {
  constexpr double kFar = std::numeric_limits<double>::max();
  Box box{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  for (const Triangle& triangle : triangles) {
    for (const Vec3& corner : triangle) {
      box.low = {std::min(box.low.x, corner.x), std::min(box.low.y, corner.y), std::min(box.low.z, corner.z)};
      box.high = {std::max(box.high.x, corner.x), std::max(box.high.y, corner.y), std::max(box.high.z, corner.z)};
    }
  }
  return box;
}

double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vec3 less(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

// T. Moeller, B. Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.
bool meets(const Triangle& triangle, const Vec3& from, const Vec3& along) {
  const Vec3 one = less(triangle[1], triangle[0]);
  const Vec3 two = less(triangle[2], triangle[0]);
  const Vec3 across = cross(along, two);
  const double volume = dot(one, across);
  if (volume == 0) {
    return false;  // in its plane
  }
  const Vec3 start = less(from, triangle[0]);
  const double u = dot(start, across) / volume;
  const Vec3 over = cross(start, one);
  const double v = dot(along, over) / volume;
  const double t = dot(two, over) / volume;
  return u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < 1;
}

std::string bytes_of(const std::filesystem::path& file) {
  try {
    return read_plain_file(file);
  } catch (const PlainFileError& error) {
    throw std::runtime_error("its mesh " + std::string(error.what()));
  }
}

}  // namespace

std::shared_ptr<const Mesh> read_mesh(const std::filesystem::path& file, const Vec3& scale) {
  const std::string bytes = bytes_of(file);
  std::string kind = file.extension();
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
  auto mesh = std::make_shared<Mesh>();
  if (kind == ".obj") {
    mesh->triangles = obj_triangles(bytes);
  } else if (kind == ".stl") {
    mesh->triangles = stl_triangles(bytes);
  } else if (kind == ".dae") {
    try {
      mesh->triangles = collada_triangles(bytes);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("its mesh " + file.string() + " " + error.what());
    }
  } else {
    throw std::runtime_error("its mesh " + file.string() + " is not one of .obj, .stl and .dae");
  }
  for (Triangle& triangle : mesh->triangles) {
    for (Vec3& corner : triangle) {
      corner = {corner.x * scale.x, corner.y * scale.y, corner.z * scale.z};
    }
  }
  std::erase_if(mesh->triangles, [](const Triangle& triangle) {
    return std::any_of(triangle.begin(), triangle.end(),
                       [](const Vec3& corner) { return !std::isfinite(corner.x + corner.y + corner.z); });
  });
  if (mesh->triangles.empty()) {
    throw std::runtime_error("its mesh " + file.string() + " has no triangles");
  }
  mesh->box = box_around(mesh->triangles);
  return mesh;
}

bool crosses(const Mesh& mesh, const Segment& ray) {
  // A flat mesh has a flat box, which no chord lies in: it is made a little thicker.
  constexpr double kSkin = 1e-6;
  const Box around{{mesh.box.low.x - kSkin, mesh.box.low.y - kSkin, mesh.box.low.z - kSkin},
                   {mesh.box.high.x + kSkin, mesh.box.high.y + kSkin, mesh.box.high.z + kSkin}};
  const auto chord = chord_of(ray, around);
  if (!chord || chord->enter >= 1 || chord->leave <= 0) {
    return false;
  }
  const Vec3 along = less(ray.b, ray.a);
  return std::any_of(mesh.triangles.begin(), mesh.triangles.end(),
                     [&](const Triangle& triangle) { return meets(triangle, ray.a, along); });
}

}  // namespace hilgate::gz
