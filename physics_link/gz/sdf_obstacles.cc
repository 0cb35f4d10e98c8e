// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/sdf_obstacles.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "physics_link/gz/mesh.h"
#include "physics_link/gz/sdf_resources.h"
#include "physics_link/place.h"

namespace hilgate::gz {
namespace {

using tinyxml2::XMLElement;

Pose compose(const Pose& outer, const Pose& inner) {
  const Vec3 moved = rotate(outer.orientation, inner.position);
  return {{outer.position.x + moved.x, outer.position.y + moved.y, outer.position.z + moved.z},
          times(outer.orientation, inner.orientation)};
}

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

bool is_on_network(const std::string& uri) {
  return uri.starts_with("http://") || uri.starts_with("https://");
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
      if (is_true(model->FirstChildElement("static"))) {
        read_model(model, name_of(model), {});
      }
    }
    read_includes(world, "", {}, false);
    for (const auto& [what, count] : left_out_) {
      world_.left_out.push_back(count == 1 ? what : fmt::format("{} ({} times)", what, count));
    }
  }

 private:
  // Each once, in the order in which they are met first.
  void leave_out(const std::string& name, const std::string& why) {
    const std::string what = name + ": " + why;
    const auto [place, is_new] = places_.try_emplace(what, left_out_.size());
    if (is_new) {
      left_out_.emplace_back(what, 0);
    }
    ++left_out_[place->second].second;
  }

  static bool is_true(const XMLElement* element) {
    const std::string text = text_of(element);
    return text == "true" || text == "1";
  }

  // Models in files of their own. The include's pose and `static` replace the model's; in a static model everything is
  // static.
  void read_includes(const XMLElement* parent, const std::string& outer_name, const Pose& outer, bool still) {
    for (auto* include = parent->FirstChildElement("include"); include != nullptr;
         include = include->NextSiblingElement("include")) {
      const std::string uri = text_of(include->FirstChildElement("uri"));
      const auto folder = find_resource(uri, file_);
      const auto file = folder ? model_file(*folder) : std::nullopt;
      if (!file) {
        leave_out(uri, is_on_network(uri)
                           ? "is not there: Gazebo has not downloaded it to GZ_FUEL_CACHE_PATH, ~/.gz/fuel "
                             "or ~/.ignition/fuel"
                           : "is not found: models are read beside the world and in GZ_SIM_RESOURCE_PATH");
      } else if (depth_ == kDeepestInclude) {
        leave_out(uri, "is included by itself");
      } else if (includes_ == kMostIncludes) {
        leave_out(uri, "is one of more than 10000 includes");
      } else {
        read_included(*file, {include, outer_name, outer, still});
      }
    }
  }

  struct Inclusion {
    const XMLElement* include;
    const std::string& outer_name;
    const Pose& outer;
    bool still;
  };

  void read_included(const std::filesystem::path& file, const Inclusion& in) {
    tinyxml2::XMLDocument document;
    if (const std::string why = load_xml(file, document); !why.empty()) {
      return leave_out(file.string(), why);
    }
    const XMLElement* sdf = document.FirstChildElement("sdf");
    const XMLElement* model = sdf == nullptr ? nullptr : sdf->FirstChildElement("model");
    if (model == nullptr) {
      return leave_out(file.string(), "has no <model> in an <sdf>");
    }
    const XMLElement* own = in.include->FirstChildElement("static");
    if (!in.still && !is_true(own != nullptr ? own : model->FirstChildElement("static"))) {
      return;
    }
    const std::string given = text_of(in.include->FirstChildElement("name"));
    const std::string name = in.outer_name + (given.empty() ? name_of(model) : given);
    const std::filesystem::path includer = std::exchange(file_, file);
    ++includes_;
    ++depth_;
    const bool placed = in.include->FirstChildElement("pose") != nullptr;
    read_placed_model(model, name, compose(in.outer, pose_in(placed ? in.include : model, name)));
    --depth_;
    file_ = includer;
  }

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
    read_placed_model(model, name, compose(outer, pose_in(model, name)));
  }

  void read_placed_model(const XMLElement* model, const std::string& name, const Pose& at) {
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
    read_includes(model, name + "::", at, true);
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
      return read_mesh_shape(mesh, name, at);
    }
    const XMLElement* other = geometry->FirstChildElement();
    const std::string kind = other == nullptr ? "nothing" : other->Name();
    if (kind != "plane" && kind != "heightmap" && kind != "empty") {
      leave_out(name, "a " + kind + " is not supported as an obstacle");
    }
  }

  void read_mesh_shape(const XMLElement* mesh, const std::string& name, const Pose& at) {
    const std::string uri = text_of(mesh->FirstChildElement("uri"));
    const auto file = find_resource(uri, file_);
    if (!file) {
      return leave_out("mesh " + uri, is_on_network(uri) ? "is not there: Gazebo has not downloaded it"
                                                         : "is not found: only files are read");
    }
    if (triangles_ > kMostTriangles) {
      return leave_out(name, fmt::format("the meshes before it have more than {} triangles", kMostTriangles));
    }
    auto scale = numbers_in(mesh->FirstChildElement("scale"));
    scale.resize(3, 1.0);
    try {
      const auto shape = read_mesh(*file, {scale[0], scale[1], scale[2]});
      triangles_ += shape->triangles.size();
      add(name, at, shape);
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

  static constexpr int kDeepestInclude = 16;
  static constexpr int kMostIncludes = 10'000;  // which includes of includes multiply
  static constexpr std::size_t kMostTriangles = 2'000'000;

  std::filesystem::path file_;  // that is being read
  SdfWorld& world_;
  int depth_ = 0;     // of includes
  int includes_ = 0;  // that were read
  std::size_t triangles_ = 0;
  std::vector<std::pair<std::string, std::size_t>> left_out_;  // with how often
  std::map<std::string, std::size_t> places_;                  // in left_out_
};

}  // namespace

SdfWorld read_sdf_world(const std::filesystem::path& file) {
  tinyxml2::XMLDocument document;
  if (const std::string why = load_xml(file, document); !why.empty()) {
    throw std::runtime_error(fmt::format("{}: {}", file.string(), why));
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

// Whether an obstacle of an SDF world stands between two points.
namespace {

Vec3 into_frame(const Pose& frame, const Vec3& point) {
  return rotate(inverse(frame.orientation),
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
  bool operator()(const std::shared_ptr<const Mesh>& mesh) const { return crosses(*mesh, ray); }
};

}  // namespace

bool blocks(const Obstacle& obstacle, const Vec3& a, const Vec3& b) {
  return std::visit(Crosses{{into_frame(obstacle.pose, a), into_frame(obstacle.pose, b)}}, obstacle.shape);
}

}  // namespace hilgate::gz
