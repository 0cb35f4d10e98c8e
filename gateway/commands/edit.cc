// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/edit/edit_server.h"

#include <filesystem>
#include <memory>

#include "gateway/commands/command_line.h"

namespace hilgate {

struct EditOptions {
  std::filesystem::path file;
  std::uint16_t port = 0;
};

void add_edit(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "edit", "Edit a configuration in a browser: map, forms, text, errors at their lines; only valid files are saved");
  auto options = std::make_shared<EditOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML)")->required();
  command->add_option("--port", options->port, "port on 127.0.0.1; 0: any")->capture_default_str();
  command->callback([&action, options] { action = [options] { return serve_editor(options->file, options->port); }; });
}

}  // namespace hilgate
