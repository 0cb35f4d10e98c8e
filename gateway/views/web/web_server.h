// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "gateway/configuration/web_config.h"
#include "gateway/views/web/plan_picture.h"
#include "gateway/views/web/web_page.h"
#include "host/companion/companion_process.h"
#include "host/file_descriptor.h"
#include "physics_link/geo/tile_archive.h"

namespace hilgate {

/// Throws std::runtime_error that names the file and what is wrong with it.
TileArchive open_tiles(const std::filesystem::path& file);

/// A listening socket of the page, and what its process reads before it is confined.
struct WebEntrance {
  FileDescriptor socket;
  std::string token;                 // what visitors must know; empty: none
  std::optional<TileArchive> tiles;  // of the ground below its map
  std::optional<PlanPicture> plan;
  std::string address;  // for people: http://127.0.0.1:8080/
};

/// Throws std::runtime_error when it cannot listen there, or when token, tiles or plan cannot be read.
WebEntrance open_entrance(const WebConfig& config);

/// Serves the page until SIGINT or SIGTERM.
void serve_page(const WebPage& page, WebEntrance entrance);

/// The page of a run, in a process of its own without any rights but those of its user.
class WebProcess {
 public:
  /// Before this process has threads. The page's process stays off `cpus`, those of packet loops. Throws
  /// std::runtime_error as open_entrance().
  WebProcess(const WebPage& page, const std::set<unsigned>& cpus);
  ~WebProcess();
  WebProcess(const WebProcess&) = delete;
  WebProcess& operator=(const WebProcess&) = delete;

  [[nodiscard]] CompanionProcess& process() { return *process_; }

 private:
  std::string socket_;  // of the page, to be removed
  std::optional<CompanionProcess> process_;
};

/// What the processes of pages give up, for good.
void confine_page(const std::set<unsigned>& cpus);

}  // namespace hilgate
