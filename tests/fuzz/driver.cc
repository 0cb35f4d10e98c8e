// SPDX-License-Identifier: Apache-2.0
// Drives a fuzz entry point without libFuzzer: every file of the corpus given, each once as it is, then 20000 inputs
// from a fixed seed, half of them noise and half of them corpus files with some bytes changed, cut or doubled.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

constexpr int kInputs = 20'000;
constexpr std::size_t kNoiseBytes = 400;

std::vector<Input> read_corpus(const char* folder) {
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.is_regular_file()) {
        paths.push_back(entry.path());
      }
    }
  }
  std::ranges::sort(paths);  // the order of a folder is nobody's promise
  std::vector<Input> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

Input noise(std::mt19937_64& random) {
  Input input(random() % kNoiseBytes);
  for (std::uint8_t& byte : input) {
    byte = static_cast<std::uint8_t>(random());
  }
  return input;
}

Input mutated(Input input, std::mt19937_64& random) {
  for (auto changes = 1 + random() % 8; changes > 0 && !input.empty(); --changes) {
    const std::size_t at = random() % input.size();
    switch (random() % 4) {
      case 0:
        input.resize(at);
        break;
      case 1:
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(random()));
        break;
      case 2:
        input[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
        break;
      default:
        input[at] = static_cast<std::uint8_t>(random());
    }
  }
  return input;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<Input> corpus = count > 1 ? read_corpus(arguments[1]) : std::vector<Input>{};
  for (const Input& input : corpus) {
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < kInputs; ++i) {
    const bool from_corpus = !corpus.empty() && random() % 2 == 0;
    const Input input = from_corpus ? mutated(corpus[random() % corpus.size()], random) : noise(random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu corpus files and %d random inputs\n", corpus.size(), kInputs);
  return 0;
}
