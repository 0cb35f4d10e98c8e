// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/sdf_obstacles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sdf/Box.hh>
#include <sdf/Collision.hh>
#include <sdf/Console.hh>
#include <sdf/Cylinder.hh>
#include <sdf/Geometry.hh>
#include <sdf/Link.hh>
#include <sdf/Mesh.hh>
#include <sdf/Model.hh>
#include <sdf/ParserConfig.hh>
#include <sdf/Physics.hh>
#include <sdf/Root.hh>
#include <sdf/Sphere.hh>
#include <sdf/World.hh>
#include <stdexcept>
#include <utility>

#include "host/plain_file.h"
#include "physics_link/gz/mesh.h"
#include "physics_link/gz/sdf_resources.h"
#include "physics_link/place.h"

namespace hilgate::gz {
namespace {

Pose compose(const Pose& outer, const Pose& inner) {
  const Vec3 moved = rotate(outer.orientation, inner.position);
  return {{outer.position.x + moved.x, outer.position.y + moved.y, outer.position.z + moved.z},
          times(outer.orientation, inner.orientation)};
}

Pose from_gazebo(const ignition::math::Pose3d& pose) {
  return {{pose.X(), pose.Y(), pose.Z()}, {pose.Rot().W(), pose.Rot().X(), pose.Rot().Y(), pose.Rot().Z()}};
}

bool is_on_network(const std::string& uri) {
  return uri.starts_with("http://") || uri.starts_with("https://");
}

std::string text_of(const sdf::Error& error) {
  return fmt::format("{}{}{}", error.FilePath().value_or(""),
                     error.LineNumber() ? fmt::format(":{}: ", *error.LineNumber())
                     : error.FilePath() ? ": "
                                        : "",
                     error.Message());
}

class Reader {
 public:
  Reader(std::filesystem::path file, SdfWorld& world) : file_(std::move(file)), includes_(file_), world_(world) {}

  void read() {
    sdf::Root root;
    const sdf::Errors errors = load(root);
    const sdf::World* const world = root.WorldCount() == 0 ? nullptr : root.WorldByIndex(0);
    if (world == nullptr) {
      throw std::runtime_error(file_.string() + ": " +
                               (errors.empty() || root.Model() != nullptr
                                    ? "has no <world> in an <sdf>; name the SDF file of the world"
                                    : "cannot be read as SDF: " + text_of(errors.front())));
    }
    for (const sdf::Error& error : errors) {
      if (error.Code() != sdf::ErrorCode::URI_LOOKUP) {  // an include, which find() has named
        leave_out(text_of(error));
      }
    }
    world_.name = world->Name();
    if (const sdf::Physics* physics = world->PhysicsDefault(); physics != nullptr && physics->MaxStepSize() > 0) {
      world_.step_s = physics->MaxStepSize();
    }
    for (std::uint64_t i = 0; i < world->ModelCount(); ++i) {
      const sdf::Model& model = *world->ModelByIndex(i);
      if (model.Static()) {
        read_model(model, model.Name(), {});
      }
    }
    for (const auto& [what, count] : left_out_) {
      world_.left_out.push_back(count == 1 ? what : fmt::format("{} ({} times)", what, count));
    }
  }

 private:
  // Each once, in the order in which they are met first.
  void leave_out(const std::string& what) {
    const auto [place, is_new] = places_.try_emplace(what, left_out_.size());
    if (is_new) {
      left_out_.emplace_back(what, 0);
    }
    ++left_out_[place->second].second;
  }

  // libsdformat asks for includes within included models by the process's own settings alone.
  sdf::Errors load(sdf::Root& root) {
    sdf::Console::Instance()->SetQuiet(true);
    sdf::ParserConfig& settings = sdf::ParserConfig::GlobalConfig();
    const sdf::ParserConfig before = settings;
    settings.SetFindCallback([this](const std::string& uri) { return find(uri); });
    sdf::Errors errors = root.Load(file_.string(), settings);
    settings = before;
    return errors;
  }

  // The file of an included model; empty where it is left out. libsdformat takes a folder, too, and says nothing of one
  // without a model.config.
  std::string find(const std::string& uri) {
    const auto folder = find_resource(uri, file_);
    const auto found = folder ? model_file(*folder) : std::nullopt;
    if (!found) {
      leave_out(uri + (is_on_network(uri)
                           ? ": is not there: Gazebo has not downloaded it to GZ_FUEL_CACHE_PATH, ~/.gz/fuel "
                             "or ~/.ignition/fuel"
                           : ": is not found: models are read beside the world and in GZ_SIM_RESOURCE_PATH"));
    } else if (includes_.is_circular(*found)) {
      leave_out(uri + ": is included by itself");
    } else if (included_ == kMostIncludes) {
      leave_out(uri + ": is one of more than 10000 includes");
    } else {
      ++included_;
      return found->string();
    }
    return "";
  }

  // `element` is at a pose in `outer`, which may be given in another frame. Absent where that frame is not there.
  template <class Element>
  std::optional<Pose> pose_of(const Element& element, const std::string& name, const Pose& outer) {
    ignition::math::Pose3d pose;
    const sdf::Errors errors = element.SemanticPose().Resolve(pose);
    if (!errors.empty()) {
      leave_out(name + ": its pose is not known: " + errors.front().Message());
      return std::nullopt;
    }
    return compose(outer, from_gazebo(pose));
  }

  // In a static model everything is static.
  void read_model(const sdf::Model& model, const std::string& name, const Pose& outer) {
    const auto at = pose_of(model, name, outer);
    for (std::uint64_t i = 0; at && i < model.LinkCount(); ++i) {
      const sdf::Link& link = *model.LinkByIndex(i);
      read_link(link, name + "::" + link.Name(), *at);
    }
    for (std::uint64_t i = 0; at && i < model.ModelCount(); ++i) {
      const sdf::Model& inner = *model.ModelByIndex(i);
      read_model(inner, name + "::" + inner.Name(), *at);
    }
  }

  void read_link(const sdf::Link& link, const std::string& name, const Pose& outer) {
    const auto at = pose_of(link, name, outer);
    for (std::uint64_t i = 0; at && i < link.CollisionCount(); ++i) {
      const sdf::Collision& collision = *link.CollisionByIndex(i);
      const std::string own_name = name + "::" + collision.Name();
      const auto own = pose_of(collision, own_name, *at);
      if (own && collision.Geom() != nullptr) {
        read_shape(*collision.Geom(), own_name, *own);
      }
    }
  }

  void read_shape(const sdf::Geometry& geometry, const std::string& name, const Pose& at) {
    switch (geometry.Type()) {
      case sdf::GeometryType::BOX:
        return add(name, at, box_of(geometry.BoxShape()->Size()));
      case sdf::GeometryType::CYLINDER:
        return add(name, at, Cylinder{geometry.CylinderShape()->Radius(), geometry.CylinderShape()->Length()});
      case sdf::GeometryType::SPHERE:
        return add(name, at, Sphere{geometry.SphereShape()->Radius()});
      case sdf::GeometryType::MESH:
        return read_mesh_shape(*geometry.MeshShape(), name, at);
      case sdf::GeometryType::PLANE:
      case sdf::GeometryType::HEIGHTMAP:
      case sdf::GeometryType::EMPTY:
        return;
      case sdf::GeometryType::CAPSULE:
        return leave_out(name + ": a capsule is not supported as an obstacle");
      case sdf::GeometryType::ELLIPSOID:
        return leave_out(name + ": an ellipsoid is not supported as an obstacle");
      default:
        return leave_out(name + ": its shape is not supported as an obstacle");
    }
  }

  void read_mesh_shape(const sdf::Mesh& mesh, const std::string& name, const Pose& at) {
    const std::string uri = mesh.Uri();
    const auto file = find_resource(uri, mesh.FilePath());
    if (!file) {
      return leave_out("mesh " + uri +
                       (is_on_network(uri) ? ": is not there: Gazebo has not downloaded it"
                                           : ": is not found: only files are read"));
    }
    if (triangles_ > kMostTriangles) {
      return leave_out(fmt::format("{}: the meshes before it have more than {} triangles", name, kMostTriangles));
    }
    const MeshPart part{.file = *file,
                        .submesh = mesh.Submesh(),
                        .centred = mesh.CenterSubmesh(),
                        .scale = {mesh.Scale().X(), mesh.Scale().Y(), mesh.Scale().Z()}};
    try {
      std::shared_ptr<const Mesh>& shape = meshes_[part];
      if (shape == nullptr) {
        shape = read_mesh(part);
        triangles_ += shape->triangles.size();
      }
      add(name, at, shape);
    } catch (const std::runtime_error& fault) {
      leave_out(name + ": " + fault.what());
    }
  }

  static Box box_of(const ignition::math::Vector3d& size) {
    return {{-size.X() / 2, -size.Y() / 2, -size.Z() / 2}, {size.X() / 2, size.Y() / 2, size.Z() / 2}};
  }

  template <class Shape>
  void add(const std::string& name, const Pose& at, const Shape& shape) {
    world_.obstacles.push_back({name, at, shape});
  }

  static constexpr int kMostIncludes = 10'000;  // which includes of includes multiply
  static constexpr std::size_t kMostTriangles = 2'000'000;

  const std::filesystem::path file_;
  IncludeGraph includes_;
  SdfWorld& world_;
  int included_ = 0;
  std::size_t triangles_ = 0;
  std::map<MeshPart, std::shared_ptr<const Mesh>> meshes_;
  std::vector<std::pair<std::string, std::size_t>> left_out_;  // with how often
  std::map<std::string, std::size_t> places_;                  // in left_out_
};

}  // namespace

SdfWorld read_sdf_world(const std::filesystem::path& file) {
  (void)open_plain_file(file);  // libsdformat would wait for a FIFO
  SdfWorld world;
  Reader(file, world).read();
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
