// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/sdf_obstacles.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "physics_link/gz/mesh_box.h"

namespace hilgate::gz {
namespace {

using tinyxml2::XMLElement;

// ---- geometry ----

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// v + 2w (q x v) + 2 q x (q x v), for unit quaternions
Vec3 rotate(const Quaternion& q, const Vec3& v) {
  const Vec3 axis{q.x, q.y, q.z};
  const Vec3 once = cross(axis, v);
  const Vec3 twice = cross(axis, once);
  return {v.x + 2 * (q.w * once.x + twice.x), v.y + 2 * (q.w * once.y + twice.y), v.z + 2 * (q.w * once.z + twice.z)};
}

Quaternion times(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// SDF: roll about x, then pitch about y, then yaw about z, all of the fixed frame.
Quaternion from_rpy(double roll, double pitch, double yaw) {
  const Quaternion x{std::cos(roll / 2), std::sin(roll / 2), 0, 0};
  const Quaternion y{std::cos(pitch / 2), 0, std::sin(pitch / 2), 0};
  const Quaternion z{std::cos(yaw / 2), 0, 0, std::sin(yaw / 2)};
  return times(z, times(y, x));
}

Pose compose(const Pose& outer, const Pose& inner) {
  const Vec3 moved = rotate(outer.orientation, inner.position);
  return {{outer.position.x + moved.x, outer.position.y + moved.y, outer.position.z + moved.z},
          times(outer.orientation, inner.orientation)};
}

Vec3 into_frame(const Pose& frame, const Vec3& point) {
  const Quaternion& q = frame.orientation;
  return rotate({q.w, -q.x, -q.y, -q.z},
                {point.x - frame.position.x, point.y - frame.position.y, point.z - frame.position.z});
}

bool overlaps(double enter, double leave) {
  return std::max(enter, 0.0) < std::min(leave, 1.0);
}

// Where a ray x^2 + y^2 [+ z^2] < r^2, as an interval of t; empty when nowhere.
std::optional<std::array<double, 2>> round_interval(const Segment& ray, double radius, bool sphere) {
  const auto d = ray.direction();
  const double dz = sphere ? d[2] : 0;
  const double z = sphere ? ray.a.z : 0;
  const double a = d[0] * d[0] + d[1] * d[1] + dz * dz;
  const double b = ray.a.x * d[0] + ray.a.y * d[1] + z * dz;
  const double c = ray.a.x * ray.a.x + ray.a.y * ray.a.y + z * z - radius * radius;
  if (a == 0) {  // along the cylinder's axis, or no line
    return c < 0 ? std::optional(std::array{0.0, 1.0}) : std::nullopt;
  }
  const double root = b * b - a * c;
  if (root <= 0) {
    return std::nullopt;
  }
  return std::array{(-b - std::sqrt(root)) / a, (-b + std::sqrt(root)) / a};
}

struct Crosses {
  Segment ray;
  bool operator()(const Box& box) const {
    const auto chord = chord_of(ray, box);
    return chord && overlaps(chord->enter, chord->leave);
  }
  bool operator()(const Cylinder& cylinder) const {
    const auto round = round_interval(ray, cylinder.radius, false);
    const double far = 2 * (std::abs(ray.a.x) + std::abs(ray.a.y) + ray.length() + cylinder.radius) + 1;
    const auto slab = chord_of(ray, {{-far, -far, -cylinder.length / 2}, {far, far, cylinder.length / 2}});
    return round && slab && overlaps(std::max((*round)[0], slab->enter), std::min((*round)[1], slab->leave));
  }
  bool operator()(const Sphere& sphere) const {
    const auto round = round_interval(ray, sphere.radius, true);
    return round && overlaps((*round)[0], (*round)[1]);
  }
};

// ---- reading ----

std::vector<double> numbers_in(const XMLElement* element) {
  std::vector<double> numbers;
  if (element != nullptr && element->GetText() != nullptr) {
    std::istringstream text(element->GetText());
    for (double number = 0; text >> number;) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

std::string name_of(const XMLElement* element) {
  const char* name = element->Attribute("name");
  return name == nullptr ? "(without a name)" : name;
}

std::string text_of(const XMLElement* element) {
  return element == nullptr || element->GetText() == nullptr ? "" : element->GetText();
}

class Reader {
 public:
  Reader(std::filesystem::path file, SdfWorld& world) : file_(std::move(file)), world_(world) {}

  void read(const XMLElement* world) {
    world_.name = name_of(world);
    if (const XMLElement* physics = world->FirstChildElement("physics")) {
      const auto step = numbers_in(physics->FirstChildElement("max_step_size"));
      world_.step_s = step.size() == 1 && step[0] > 0 ? std::optional(step[0]) : std::nullopt;
    }
    for (auto* model = world->FirstChildElement("model"); model != nullptr;
         model = model->NextSiblingElement("model")) {
      const std::string is_static = text_of(model->FirstChildElement("static"));
      if (is_static == "true" || is_static == "1") {
        read_model(model, name_of(model), {});
      }
    }
    for (auto* include = world->FirstChildElement("include"); include != nullptr;
         include = include->NextSiblingElement("include")) {
      leave_out(text_of(include->FirstChildElement("uri")), "included models are not read");
    }
  }

 private:
  void leave_out(const std::string& name, const std::string& why) { world_.left_out.push_back(name + ": " + why); }

  Pose pose_in(const XMLElement* element, const std::string& name) {
    const XMLElement* pose = element->FirstChildElement("pose");
    const auto numbers = numbers_in(pose);
    if (pose != nullptr && pose->Attribute("relative_to") != nullptr) {
      leave_out(name, "its pose is relative to another frame; the parent's frame is used");
    }
    if (numbers.size() != 6) {
      return {};
    }
    const double unit = pose->BoolAttribute("degrees", false) ? M_PI / 180 : 1;
    return {{numbers[0], numbers[1], numbers[2]}, from_rpy(numbers[3] * unit, numbers[4] * unit, numbers[5] * unit)};
  }

  void read_model(const XMLElement* model, const std::string& name, const Pose& outer) {
    const Pose at = compose(outer, pose_in(model, name));
    for (auto* link = model->FirstChildElement("link"); link != nullptr; link = link->NextSiblingElement("link")) {
      const std::string link_name = name + "::" + name_of(link);
      const Pose link_at = compose(at, pose_in(link, link_name));
      for (auto* collision = link->FirstChildElement("collision"); collision != nullptr;
           collision = collision->NextSiblingElement("collision")) {
        const std::string own_name = link_name + "::" + name_of(collision);
        read_shape(collision->FirstChildElement("geometry"), own_name, compose(link_at, pose_in(collision, own_name)));
      }
    }
    for (auto* inner = model->FirstChildElement("model"); inner != nullptr;
         inner = inner->NextSiblingElement("model")) {
      read_model(inner, name + "::" + name_of(inner), at);
    }
  }

  void read_shape(const XMLElement* geometry, const std::string& name, const Pose& at) {
    if (geometry == nullptr) {
      return leave_out(name, "has no geometry");
    }
    if (const auto* box = geometry->FirstChildElement("box")) {
      const auto size = numbers_in(box->FirstChildElement("size"));
      return size.size() == 3 ? add(name, at, around({}, size)) : leave_out(name, "its box has no size");
    }
    if (const auto* cylinder = geometry->FirstChildElement("cylinder")) {
      const auto radius = numbers_in(cylinder->FirstChildElement("radius"));
      const auto length = numbers_in(cylinder->FirstChildElement("length"));
      return radius.size() == 1 && length.size() == 1 ? add(name, at, Cylinder{radius[0], length[0]})
                                                      : leave_out(name, "its cylinder has no radius and length");
    }
    if (const auto* sphere = geometry->FirstChildElement("sphere")) {
      const auto radius = numbers_in(sphere->FirstChildElement("radius"));
      return radius.size() == 1 ? add(name, at, Sphere{radius[0]}) : leave_out(name, "its sphere has no radius");
    }
    if (const auto* mesh = geometry->FirstChildElement("mesh")) {
      return read_mesh(mesh, name, at);
    }
    const XMLElement* other = geometry->FirstChildElement();
    const std::string kind = other == nullptr ? "nothing" : other->Name();
    if (kind != "plane" && kind != "heightmap" && kind != "empty") {
      leave_out(name, "a " + kind + " is not supported as an obstacle");
    }
  }

  void read_mesh(const XMLElement* mesh, const std::string& name, const Pose& at) {
    std::string uri = text_of(mesh->FirstChildElement("uri"));
    if (uri.starts_with("file://")) {
      uri = uri.substr(7);
    }
    if (uri.find("://") != std::string::npos) {
      return leave_out(name, "its mesh is at " + uri + ", but only files are read");
    }
    auto scale = numbers_in(mesh->FirstChildElement("scale"));
    scale.resize(3, 1.0);
    try {
      Box box = mesh_box(file_.parent_path() / uri);
      box.low = {box.low.x * scale[0], box.low.y * scale[1], box.low.z * scale[2]};
      box.high = {box.high.x * scale[0], box.high.y * scale[1], box.high.z * scale[2]};
      add(name, at, box);
    } catch (const std::runtime_error& fault) {
      leave_out(name, fault.what());
    }
  }

  static Box around(const Vec3& middle, const std::vector<double>& size) {
    return {{middle.x - size[0] / 2, middle.y - size[1] / 2, middle.z - size[2] / 2},
            {middle.x + size[0] / 2, middle.y + size[1] / 2, middle.z + size[2] / 2}};
  }

  template <class Shape>
  void add(const std::string& name, const Pose& at, const Shape& shape) {
    world_.obstacles.push_back({name, at, shape});
  }

  std::filesystem::path file_;
  SdfWorld& world_;
};

}  // namespace

bool blocks(const Obstacle& obstacle, const Vec3& a, const Vec3& b) {
  return std::visit(Crosses{{into_frame(obstacle.pose, a), into_frame(obstacle.pose, b)}}, obstacle.shape);
}

SdfWorld read_sdf_world(const std::filesystem::path& file) {
  tinyxml2::XMLDocument document;
  if (document.LoadFile(file.c_str()) != tinyxml2::XML_SUCCESS) {
    throw std::runtime_error(fmt::format("{}: cannot be read as XML: {}", file.string(), document.ErrorStr()));
  }
  const XMLElement* sdf = document.FirstChildElement("sdf");
  const XMLElement* element = sdf == nullptr ? nullptr : sdf->FirstChildElement("world");
  if (element == nullptr) {
    throw std::runtime_error(file.string() + ": has no <world> in an <sdf>; name the SDF file of the world");
  }
  SdfWorld world;
  Reader(file, world).read(element);
  return world;
}

}  // namespace hilgate::gz
