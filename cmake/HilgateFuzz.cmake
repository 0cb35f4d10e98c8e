# hilgate_fuzz(NAME [DEPENDS ...] [WITH files ...])
# The program fuzz_NAME: libFuzzer around the LLVMFuzzerTestOneInput in fuzz_NAME.cc. tests/fuzz/run.py runs it. WITH are
# sources of a folder of which the program needs no more, and the rest would take long to build.
function(hilgate_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 fuzz "" "" "DEPENDS;WITH")
  list(TRANSFORM fuzz_WITH PREPEND ${CMAKE_SOURCE_DIR}/)
  add_executable(fuzz_${name} EXCLUDE_FROM_ALL fuzz_${name}.cc ${fuzz_WITH})
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_link_libraries(fuzz_${name} PRIVATE hilgate_options ${fuzz_DEPENDS})
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers fuzz_${name})
endfunction()
