// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/mesh.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <ignition/common/Console.hh>
#include <ignition/common/Mesh.hh>
#include <ignition/common/MeshManager.hh>
#include <ignition/common/SubMesh.hh>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>

#include "host/confinement.h"
#include "host/file_descriptor.h"
#include "host/plain_file.h"
#include "physics_link/place.h"

namespace hilgate::gz {
namespace {

constexpr std::uint64_t kReaderMemory = std::uint64_t{4} << 30;
constexpr std::chrono::seconds kReaderTime{60};

using Corner = ignition::math::Vector3d;

void append_triangles(const ignition::common::SubMesh& submesh, const MeshPart& part, std::vector<Triangle>& all) {
  if (submesh.SubMeshPrimitiveType() != ignition::common::SubMesh::TRIANGLES) {
    return;
  }
  const Corner middle = part.centred ? (submesh.Min() + submesh.Max()) / 2 : Corner::Zero;
  const auto corner = [&](unsigned int index) {
    const Corner at = submesh.Vertex(static_cast<unsigned int>(submesh.Index(index))) - middle;
    return Vec3{at.X() * part.scale[0], at.Y() * part.scale[1], at.Z() * part.scale[2]};
  };
  for (unsigned int i = 0; i + 2 < submesh.IndexCount(); i += 3) {
    all.push_back({corner(i), corner(i + 1), corner(i + 2)});
  }
}

// In the process that reads: writes the triangles and ends. Its exit status is why it could not.
enum class ReaderStatus : int { kRead, kRefused, kNoSubmesh, kFailed };

ReaderStatus write_triangles(const MeshPart& part, const FileDescriptor& to) {
  ignition::common::Console::SetVerbosity(0);
  const ignition::common::Mesh* const mesh = ignition::common::MeshManager::Instance()->Load(part.file.string());
  if (mesh == nullptr) {
    return ReaderStatus::kRefused;
  }
  std::vector<Triangle> triangles;
  bool is_there = part.submesh.empty();
  for (unsigned int i = 0; i < mesh->SubMeshCount(); ++i) {
    const auto submesh = mesh->SubMeshByIndex(i).lock();
    if (part.submesh.empty() || submesh->Name() == part.submesh) {
      append_triangles(*submesh, part, triangles);
      is_there = true;
    }
  }
  const auto bytes = std::as_bytes(std::span(triangles));
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = write(to.get(), bytes.data() + sent, bytes.size() - sent);
    if (count <= 0) {
      return ReaderStatus::kFailed;
    }
    sent += static_cast<std::size_t>(count);
  }
  return is_there ? ReaderStatus::kRead : ReaderStatus::kNoSubmesh;
}

[[noreturn]] void become_reader(const MeshPart& part, const FileDescriptor& to) {
  ReaderStatus status = ReaderStatus::kFailed;
  try {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(checked(nowhere, "/dev/null"), STDERR_FILENO);  // the exit status is all that the caller needs
    signal(SIGABRT, SIG_DFL);
    confine_reader(kReaderMemory, kReaderTime);
    status = write_triangles(part, to);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): kFailed
  }
  std::_Exit(static_cast<int>(status));
}

std::vector<Triangle> triangles_from(const FileDescriptor& from) {
  std::string bytes;
  std::array<char, 65'536> part;
  for (ssize_t count = 0; (count = read(from.get(), part.data(), part.size())) > 0;) {
    bytes.append(part.data(), static_cast<std::size_t>(count));
  }
  std::vector<Triangle> triangles(bytes.size() / sizeof(Triangle));
  if (!triangles.empty()) {
    std::memcpy(triangles.data(), bytes.data(), triangles.size() * sizeof(Triangle));
  }
  return triangles;
}

// Empty where it was.
std::string why_not_read(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("cannot be read: Gazebo's reader of meshes ends with it ({})", strsignal(WTERMSIG(status)));
  }
  switch (static_cast<ReaderStatus>(WEXITSTATUS(status))) {
    case ReaderStatus::kRead:
      return "";
    case ReaderStatus::kRefused:
      return "is not an .obj, .stl or .dae that Gazebo reads";
    case ReaderStatus::kNoSubmesh:
      return "has no submesh of that name";
    default:
      return "cannot be read: Gazebo's reader of meshes fails with it";
  }
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

}  // namespace

std::shared_ptr<const Mesh> read_mesh(const MeshPart& part) {
  const std::string name = "its mesh " + part.file.string();
  try {
    (void)open_plain_file(part.file);
  } catch (const PlainFileError& error) {
    throw std::runtime_error("its mesh " + std::string(error.what()));
  }
  int ends[2];
  checked(pipe2(ends, O_CLOEXEC), "make a pipe from the reader of meshes");
  const FileDescriptor from(ends[0]);
  std::optional<FileDescriptor> to(std::in_place, ends[1]);
  const pid_t reader = checked(fork(), "start the reader of meshes");
  if (reader == 0) {
    become_reader(part, *to);
  }
  to.reset();
  auto mesh = std::make_shared<Mesh>();
  mesh->triangles = triangles_from(from);
  int status = 0;
  checked(waitpid(reader, &status, 0), "wait for the reader of meshes");
  if (const std::string why = why_not_read(status); !why.empty()) {
    throw std::runtime_error(name + " " + why);
  }
  std::erase_if(mesh->triangles, [](const Triangle& triangle) {
    return std::any_of(triangle.begin(), triangle.end(),
                       [](const Vec3& corner) { return !std::isfinite(corner.x + corner.y + corner.z); });
  });
  if (mesh->triangles.empty()) {
    throw std::runtime_error(name + " has no triangles");
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
