// SPDX-License-Identifier: Apache-2.0
// Worlds of Gazebo, and meshes: OBJ, STL, COLLADA. What was read can be asked what it hides.
#include <array>
#include <cmath>
#include <stdexcept>

#include "physics_link/gz/sdf_obstacles.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

constexpr std::array<Vec3, 3> kPlaces = {Vec3{-50, 0.1, 1}, Vec3{50, 0.2, 1.5}, Vec3{0, 0, 1e6}};

void read_world(std::string_view text) {
  for (const gz::Obstacle& obstacle : gz::read_sdf_world(scratch_file("world.sdf", text)).obstacles) {
    for (const Vec3& from : kPlaces) {
      (void)gz::blocks(obstacle, from, kPlaces[0]);
    }
  }
}

void read_mesh(const char* name, std::string_view text, double scale) {
  const auto mesh = gz::read_mesh(scratch_file(name, text), {scale, 1, -scale});
  for (const gz::Triangle& triangle : mesh->triangles) {
    for (const Vec3& corner : triangle) {
      require(std::isfinite(corner.x) && std::isfinite(corner.y) && std::isfinite(corner.z), "a corner is somewhere");
    }
  }
  for (const Vec3& from : kPlaces) {
    (void)gz::crosses(*mesh, {from, kPlaces[0]});
  }
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate::test;
  constexpr std::array<const char*, 3> kMeshes = {"mesh.obj", "mesh.stl", "mesh.dae"};
  FuzzInput input(data, size);
  const std::uint8_t choice = input.byte();
  const std::string_view text = input.rest();
  try {
    if (choice % 4 == 3) {
      read_world(text);
    } else {
      read_mesh(kMeshes[choice % 4], text, choice < 128 ? 1 : 1e300);
    }
  } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): refused
  }
  return 0;
}
