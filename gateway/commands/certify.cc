// SPDX-License-Identifier: Apache-2.0
#include "bench/certify/certify.h"

#include "gateway/commands/command_line.h"

namespace hilgate {

void add_certify(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "certify",
      "Measure what this host can do, as RFC 2544 and CSIT do, beside yardsticks; print a verdict for each figure");
  auto options = std::make_shared<CertifyOptions>();
  const std::map<std::string, bool> lengths{{"short", false}, {"full", true}};
  command
      ->add_option("--length", options->full,
                   "short (at most 2 minutes) or full (all frame sizes, longer trials, about an hour) [short]")
      ->transform(CLI::CheckedTransformer(lengths).description(""));
  command->add_option("--only", options->only,
                      "subject to measure: core, release, wire, live or windows; can be repeated");
  command->add_option("--size", options->sizes, "frame size: 64 to 1518 bytes, or imix; can be repeated");
  command->add_option("--limits", options->limits_file, "file with limits (YAML), KEY: LIMIT; docs/how-to/certify.md");
  command->add_option("--limit", options->limits,
                      "KEY=LIMIT, such as wire.ndr.64=200000 or, of the yardstick, wire.ndr.64=0.8x; can be repeated");
  command->add_option("--json", options->json, "file to write, JSON");
  command->add_option("--html", options->html, "page to write, with plots");
  command->callback([&action, options] { action = [options] { return certify_command(*options); }; });
}

}  // namespace hilgate
