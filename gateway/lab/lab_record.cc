// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab_record.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "host/file_descriptor.h"

namespace hilgate {
namespace {

void write_all(const std::filesystem::path& path, int flags, const std::string& text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644));
  if (!file.valid() || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    const int error = errno;
    if (error == EEXIST) {
      throw std::runtime_error(
          fmt::format("the lab is up already, says {}; take it down first with `hilgate lab down`", path.string()));
    }
    throw std::runtime_error(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
  }
}

}  // namespace

std::filesystem::path LabRecord::path_of(const std::string& lab) {
  return std::filesystem::path("/run/hilgate") / (lab + ".lab.json");
}

LabRecord LabRecord::create(const std::string& lab) {
  const auto path = path_of(lab);
  std::filesystem::create_directories(path.parent_path());
  LabRecord record(lab);
  write_all(path, O_EXCL, nlohmann::json{{"lab", lab}, {"namespaces", nlohmann::json::array()}}.dump());
  return record;
}

std::optional<LabRecord> LabRecord::load(const std::string& lab) {
  std::ifstream stream(path_of(lab));
  if (!stream) {
    return std::nullopt;
  }
  try {
    LabRecord record(lab);
    const auto json = nlohmann::json::parse(stream);
    for (const auto& entry : json.at("namespaces")) {
      record.namespaces_.push_back({entry.at("name").get<std::string>(), entry.at("inode").get<std::uint64_t>()});
    }
    return record;
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(
        fmt::format("{} is no record of a lab ({}); remove it, and with `ip netns del` what is left",
                    path_of(lab).string(), error.what()));
  }
}

void LabRecord::add(const std::string& name) {
  namespaces_.push_back({name, 0});
  write();
}

void LabRecord::set_inode(std::uint64_t inode) {
  namespaces_.back().inode = inode;
  write();
}

void LabRecord::remove() const {
  std::filesystem::remove(path_of(lab_));
}

void LabRecord::write() const {
  auto namespaces = nlohmann::json::array();
  for (const Namespace& entry : namespaces_) {
    namespaces.push_back({{"name", entry.name}, {"inode", entry.inode}});
  }
  // In two steps, so that the file is whole at every instant.
  const auto path = path_of(lab_);
  const std::filesystem::path next = path.string() + ".new";
  write_all(next, O_TRUNC, nlohmann::json{{"lab", lab_}, {"namespaces", namespaces}}.dump());
  std::filesystem::rename(next, path);
}

}  // namespace hilgate
