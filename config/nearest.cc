// SPDX-License-Identifier: Apache-2.0
#include "config/nearest.h"

#include <algorithm>
#include <vector>

namespace hilgate {
namespace {

/// Optimal string alignment distance.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, std::span<const std::string> known) {
  if (word.size() > 256) {
    return {};
  }
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::string nearest;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(word, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string guess_for(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kBeginning = 3;
  std::string guess;
  const auto add = [&guess](const std::string& name) {
    guess += (guess.empty() ? "did you mean '" : " or '") + name + "'";
  };
  for (const std::string& name : known) {
    if (word.size() >= kBeginning && name.starts_with(word)) {
      add(name);
    }
  }
  if (guess.empty()) {
    if (const std::string near = nearest_word(word, known); !near.empty()) {
      add(near);
    }
  }
  return guess.empty() ? guess : guess + "?";
}

std::string hint_for(std::string_view word, std::span<const std::string> known) {
  if (std::string guess = guess_for(word, known); !guess.empty()) {
    return guess;
  }
  std::string list;
  for (const std::string& name : known) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return "allowed: " + (list.empty() ? "nothing" : list);
}

}  // namespace hilgate
