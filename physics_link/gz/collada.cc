// SPDX-License-Identifier: Apache-2.0
// COLLADA 1.4 and 1.5 (khronos.org/collada): the triangles of a document's scene, in metres and z up.
#include <tinyxml2.h>

#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

#include "physics_link/gz/mesh.h"

namespace hilgate::gz {
namespace {

using tinyxml2::XMLElement;

// Row by row; the last row is 0 0 0 1.
using Matrix = std::array<double, 12>;
constexpr Matrix kNoChange = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
constexpr std::size_t kDeepestNode = 64;
// Nodes that name others twice, level by level, are a few lines of file and no end of nodes.
constexpr std::size_t kMostNodes = 100'000;
constexpr std::size_t kMostTriangles = 5'000'000;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      double sum = column == 3 ? a[4 * row + 3] : 0;
      for (std::size_t k = 0; k < 3; ++k) {
        sum += a[4 * row + k] * b[4 * k + column];
      }
      result[4 * row + column] = sum;
    }
  }
  return result;
}

Vec3 apply(const Matrix& m, const Vec3& v) {
  return {m[0] * v.x + m[1] * v.y + m[2] * v.z + m[3], m[4] * v.x + m[5] * v.y + m[6] * v.z + m[7],
          m[8] * v.x + m[9] * v.y + m[10] * v.z + m[11]};
}

template <class Number>
std::vector<Number> list_in(const XMLElement* element) {
  std::vector<Number> numbers;
  if (element != nullptr && element->GetText() != nullptr) {
    std::istringstream text(element->GetText());
    for (Number number{}; text >> number;) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

std::string attribute(const XMLElement* element, const char* name) {
  const char* value = element == nullptr ? nullptr : element->Attribute(name);
  return value == nullptr ? "" : value;
}

// Of the axis and angle of <rotate> (degrees).
Matrix rotation(const std::vector<double>& r) {
  const double length = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  if (length == 0) {
    return kNoChange;
  }
  const double x = r[0] / length;
  const double y = r[1] / length;
  const double z = r[2] / length;
  const double c = std::cos(r[3] * M_PI / 180);
  const double s = std::sin(r[3] * M_PI / 180);
  return {c + x * x * (1 - c),     x * y * (1 - c) - z * s, x * z * (1 - c) + y * s, 0,
          y * x * (1 - c) + z * s, c + y * y * (1 - c),     y * z * (1 - c) - x * s, 0,
          z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c),     0};
}

Matrix transform_of(const XMLElement* node) {
  Matrix all = kNoChange;
  for (auto* element = node->FirstChildElement(); element != nullptr; element = element->NextSiblingElement()) {
    const std::string kind = element->Name();
    const auto n = list_in<double>(element);
    if (kind == "matrix" && n.size() == 16) {
      all = product(all, {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11]});
    } else if (kind == "translate" && n.size() == 3) {
      all = product(all, {1, 0, 0, n[0], 0, 1, 0, n[1], 0, 0, 1, n[2]});
    } else if (kind == "scale" && n.size() == 3) {
      all = product(all, {n[0], 0, 0, 0, 0, n[1], 0, 0, 0, 0, n[2], 0});
    } else if (kind == "rotate" && n.size() == 4) {
      all = product(all, rotation(n));
    }
  }
  return all;
}

class ColladaReader {
 public:
  explicit ColladaReader(const XMLElement* root) : root_(root) {
    each(root_->FirstChildElement("library_geometries"), "geometry",
         [this](const XMLElement* geometry) { geometries_[attribute(geometry, "id")] = geometry; });
    each(root_->FirstChildElement("library_nodes"), "node",
         [this](const XMLElement* node) { nodes_[attribute(node, "id")] = node; });
  }

  std::vector<Triangle> read() {
    const Matrix world = frame();
    bool placed = false;
    each(root_->FirstChildElement("library_visual_scenes"), "visual_scene", [&](const XMLElement* scene) {
      each(scene, "node", [&](const XMLElement* node) {
        placed = true;
        read_node(node, world, 0);
      });
    });
    if (!placed) {
      for (const auto& [id, geometry] : geometries_) {
        read_geometry(geometry, world);
      }
    }
    return std::move(triangles_);
  }

 private:
  template <class Each>
  static void each(const XMLElement* parent, const char* name, Each call) {
    if (parent != nullptr) {
      for (auto* element = parent->FirstChildElement(name); element != nullptr;
           element = element->NextSiblingElement(name)) {
        call(element);
      }
    }
  }

  // Into metres and z up.
  [[nodiscard]] Matrix frame() const {
    const XMLElement* asset = root_->FirstChildElement("asset");
    double unit = 1;
    std::string up = "Y_UP";
    if (asset != nullptr) {
      if (const XMLElement* element = asset->FirstChildElement("unit")) {
        unit = element->DoubleAttribute("meter", 1);
      }
      if (const XMLElement* element = asset->FirstChildElement("up_axis"); element && element->GetText() != nullptr) {
        up = element->GetText();
      }
    }
    if (up == "Z_UP") {
      return {unit, 0, 0, 0, 0, unit, 0, 0, 0, 0, unit, 0};
    }
    if (up == "X_UP") {
      return {0, -unit, 0, 0, 0, 0, -unit, 0, unit, 0, 0, 0};
    }
    return {unit, 0, 0, 0, 0, 0, -unit, 0, 0, unit, 0, 0};
  }

  void read_node(const XMLElement* node, const Matrix& outer, std::size_t depth) {
    if (depth > kDeepestNode) {
      throw std::runtime_error("has nodes that contain themselves");
    }
    if (++placed_nodes_ > kMostNodes) {
      throw std::runtime_error("places more than 100000 nodes");
    }
    const Matrix at = product(outer, transform_of(node));
    each(node, "instance_geometry", [&](const XMLElement* instance) {
      const auto found = geometries_.find(target(instance));
      if (found != geometries_.end()) {
        read_geometry(found->second, at);
      }
    });
    each(node, "node", [&](const XMLElement* inner) { read_node(inner, at, depth + 1); });
    each(node, "instance_node", [&](const XMLElement* instance) {
      const auto found = nodes_.find(target(instance));
      if (found != nodes_.end()) {
        read_node(found->second, at, depth + 1);
      }
    });
  }

  static std::string target(const XMLElement* element, const char* name = "url") {
    const std::string url = attribute(element, name);
    return url.starts_with('#') ? url.substr(1) : url;
  }

  void read_geometry(const XMLElement* geometry, const Matrix& at) {
    const XMLElement* mesh = geometry->FirstChildElement("mesh");
    if (mesh == nullptr) {
      return;
    }
    std::map<std::string, std::vector<double>> sources;
    each(mesh, "source", [&sources](const XMLElement* source) {
      sources[attribute(source, "id")] = list_in<double>(source->FirstChildElement("float_array"));
    });
    std::string positions;
    each(mesh->FirstChildElement("vertices"), "input", [&positions](const XMLElement* input) {
      positions = attribute(input, "semantic") == "POSITION" ? target(input, "source") : positions;
    });
    std::vector<Vec3> corners;
    const std::vector<double>& numbers = sources[positions];
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
      corners.push_back(apply(at, {numbers[i], numbers[i + 1], numbers[i + 2]}));
    }
    for (const char* kind : {"triangles", "polylist", "polygons"}) {
      each(mesh, kind, [&](const XMLElement* faces) { read_faces(faces, corners); });
    }
  }

  void read_faces(const XMLElement* faces, const std::vector<Vec3>& corners) {
    std::size_t stride = 1;
    std::size_t offset = 0;
    each(faces, "input", [&](const XMLElement* input) {
      const auto at = static_cast<std::size_t>(input->UnsignedAttribute("offset"));
      stride = std::max(stride, at + 1);
      offset = attribute(input, "semantic") == "VERTEX" ? at : offset;
    });
    const auto counts = list_in<std::size_t>(faces->FirstChildElement("vcount"));
    const bool each_is_one = std::string(faces->Name()) == "polygons";
    each(faces, "p", [&](const XMLElement* list) {
      const auto indices = list_in<std::size_t>(list);
      const std::size_t all = indices.size() / stride;
      std::size_t begin = 0;
      for (std::size_t face = 0; begin < all; ++face) {
        const std::size_t size = each_is_one ? all : face < counts.size() ? counts[face] : 3;
        const auto corner = [&](std::size_t i) { return indices[(begin + i) * stride + offset]; };
        for (std::size_t i = 2; i < size && begin + i < all; ++i) {
          add(corners, {corner(0), corner(i - 1), corner(i)});
        }
        begin += std::max<std::size_t>(size, 1);
      }
    });
  }

  void add(const std::vector<Vec3>& corners, const std::array<std::size_t, 3>& of) {
    if (of[0] < corners.size() && of[1] < corners.size() && of[2] < corners.size()) {
      triangles_.push_back({corners[of[0]], corners[of[1]], corners[of[2]]});
    }
    if (triangles_.size() > kMostTriangles) {
      throw std::runtime_error("has more than 5000000 triangles");
    }
  }

  const XMLElement* root_;
  std::map<std::string, const XMLElement*> geometries_;
  std::map<std::string, const XMLElement*> nodes_;
  std::vector<Triangle> triangles_;
  std::size_t placed_nodes_ = 0;
};

}  // namespace

std::vector<Triangle> collada_triangles(const std::string& bytes) {
  tinyxml2::XMLDocument document;
  if (document.Parse(bytes.data(), bytes.size()) != tinyxml2::XML_SUCCESS) {
    throw std::runtime_error(std::string("cannot be read as XML: ") + document.ErrorStr());
  }
  const XMLElement* root = document.FirstChildElement("COLLADA");
  if (root == nullptr) {
    throw std::runtime_error("is no COLLADA document");
  }
  return ColladaReader(root).read();
}

}  // namespace hilgate::gz
