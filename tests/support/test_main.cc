// SPDX-License-Identifier: Apache-2.0
// `main` of a folder's test program. Besides GoogleTest's options it accepts `--files=PATH,PATH`, paths from the root
// of the repository: only the tests of these source files run, or those of them that GTEST_FILTER names. That no test
// runs is an error, so that an entry of ctest cannot pass because nothing ran.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view kOption = "--files=";

/// GoogleTest's filter for the tests of a source file; empty when it has none. GoogleTest knows a file as the compiler
/// was given it, which may be an absolute path.
std::string tests_of(std::string_view file) {
  std::string filter;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (std::string_view(test.file()).ends_with(file)) {
        filter.append(suite.name()).append(".").append(test.name()).append(":");
      }
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (argc == 1) {
    return RUN_ALL_TESTS();
  }
  std::string_view files = argv[1];
  if (argc > 2 || !files.starts_with(kOption)) {
    std::cerr << "usage: " << argv[0] << " [--files=PATH,PATH] [GoogleTest's options]\n";
    return 2;
  }
  files.remove_prefix(kOption.size());
  std::string filter;
  while (!files.empty()) {
    const std::string_view file = files.substr(0, files.find(','));
    files.remove_prefix(std::min(file.size() + 1, files.size()));
    const std::string tests = tests_of(file);
    if (tests.empty()) {
      std::cerr << argv[0] << ": there is no test in " << file << '\n';
      return 2;
    }
    filter += tests;
  }
  if (GTEST_FLAG_GET(filter) == "*") {
    GTEST_FLAG_SET(filter, filter);
  }
  const int status = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::cerr << argv[0] << ": no test of these files is named " << GTEST_FLAG_GET(filter) << '\n';
    return 2;
  }
  return status;
}
