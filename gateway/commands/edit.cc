// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/host_name.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <system_error>

#include "gateway/commands/command_line.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/views/edit/edit_desk.h"
#include "gateway/views/edit/edited_file.h"
#include "gateway/views/web/http_server.h"
#include "host/file_descriptor.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kLongestDraft = std::uint64_t{8} << 20;  // bytes of a request
constexpr std::chrono::milliseconds kLastAnswer{300};            // until it is with the page

std::string new_token() {
  std::array<unsigned char, 24> secret{};
  if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  std::string token;
  for (const unsigned char each : secret) {
    token += fmt::format("{:02x}", each);
  }
  return token;
}

FileDescriptor listen_at(const WebListen& listen) {
  try {
    return listen_for_http(listen);
  } catch (const std::system_error& error) {
    throw std::runtime_error(fmt::format("cannot listen at {}; choose another --port", error.what()));
  }
}

// Serves the editor of a configuration file on the loopback address, to who has the token that it prints, until the
// page ends it, SIGINT or SIGTERM. `port` 0: any. Returns the exit status. Throws ConfigError when the file cannot be
// read, std::runtime_error when it cannot listen.
int serve_editor(const std::filesystem::path& file, std::uint16_t port) {
  EditedFile edited(file, known_names());
  const WebListen listen{.socket = {}, .host = "127.0.0.1", .port = port, .loopback = true};
  const FileDescriptor socket = listen_at(listen);
  const std::string token = new_token();
  asio::io_context context;
  asio::steady_timer last(context);
  EditDesk desk(edited, WebGuard(listen, token, asio::ip::host_name()), [&] {
    last.expires_after(kLastAnswer);
    last.async_wait([&context](const asio::error_code&) { context.stop(); });
  });
  fmt::print("{} is edited at {}#token={}\nCtrl-C ends it.\n", edited.file().string(), http_address(listen, socket),
             token);
  std::fflush(stdout);
  serve_http(context, listen, socket,
             {.take = [&desk](const HttpRequest& request, const HttpVisitor& visitor) { desk.take(request, visitor); },
              .longest_body = kLongestDraft});
  if (!edited.is_saved()) {
    fmt::print(stderr, "changes since the last save are not in {}\n", edited.file().string());
  }
  return 0;
}

struct EditOptions {
  std::filesystem::path file;
  std::uint16_t port = 0;
};

}  // namespace

void add_edit(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "edit", "Edit a configuration in a browser: map, forms, text, errors at their lines; only valid files are saved");
  auto options = std::make_shared<EditOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML)")->required();
  command->add_option("--port", options->port, "port on 127.0.0.1; 0: any")->capture_default_str();
  command->callback([&action, options] { action = [options] { return serve_editor(options->file, options->port); }; });
}

}  // namespace hilgate
