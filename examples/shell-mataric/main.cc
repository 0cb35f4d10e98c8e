// SPDX-License-Identifier: Apache-2.0
// Writes the data of Figs. 2 to 4; examples/papers/shell_mataric_maps.py draws and judges them.
//
// usage: shell-mataric-figures MAP PROFILE OUTPUT_FOLDER
#include <fmt/os.h>

#include <cstdio>
#include <exception>
#include <filesystem>

#include "examples/shell-mataric/figures.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {
namespace {

void write(const Figure& figure, const std::filesystem::path& folder) {
  auto out = fmt::output_file((folder / (figure.name + ".csv")).string());
  for (std::size_t column = 0; column < figure.columns.size(); ++column) {
    out.print("{}{}", column > 0 ? "," : "", figure.columns[column]);
  }
  out.print("\n");
  for (const std::vector<double>& row : figure.rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      out.print("{}{:.{}f}", column > 0 ? "," : "", row[column], figure.decimals[column]);
    }
    out.print("\n");
  }
}

}  // namespace
}  // namespace hilgate

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: {} MAP PROFILE OUTPUT_FOLDER\n", argv[0]);
    return 2;
  }
  try {
    const hilgate::RadioProfile radio = hilgate::load_radio_profile(argv[2]);
    for (const hilgate::Figure& figure : hilgate::building_figures(hilgate::load_grid_map(argv[1]), radio)) {
      hilgate::write(figure, argv[3]);
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
