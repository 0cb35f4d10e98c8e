# Targets of this project: one way to declare a library, a program and a test.

add_library(hilgate_options INTERFACE)
target_include_directories(hilgate_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(hilgate_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion>
  # What g++ has not in these, clang shall not have either.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion -Wno-missing-braces -Wno-pass-failed>
  $<$<AND:$<BOOL:${HILGATE_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)

# Hardening, but for builds of tests (FORTIFY needs optimisation, and hides faults from sanitizers): canaries on stacks,
# checked string functions, landing pads and a shadow stack, relocations read-only before main, code anywhere.
# tests/scripts/hardening_test reads the result in the program.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C CXX)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  target_compile_options(hilgate_options INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
    target_compile_options(hilgate_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-fcf-protection>)
  endif()
  target_link_options(hilgate_options INTERFACE LINKER:-z,relro,-z,now)
endif()

# hilgate_protobuf(NAME PROTOS ...)
# A library of generated protobuf code, included from the root ("physics_link/native/native.pb.h") without our warnings.
function(hilgate_protobuf name)
  cmake_parse_arguments(PARSE_ARGV 1 protobuf "" "" "PROTOS")
  foreach(proto ${protobuf_PROTOS})
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${proto})
    string(REGEX REPLACE "\\.proto$" ".pb" out ${CMAKE_BINARY_DIR}/protobuf/${path})
    add_custom_command(OUTPUT ${out}.cc ${out}.h
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/protobuf
      COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR} --cpp_out=${CMAKE_BINARY_DIR}/protobuf ${path}
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DEPENDS ${proto} VERBATIM)
    list(APPEND sources ${out}.cc ${out}.h)
  endforeach()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} SYSTEM PUBLIC ${CMAKE_BINARY_DIR}/protobuf)
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf-lite)
endfunction()

# hilgate_test(NAME SOURCES ... [DEPENDS ...] [LABELS ...] [TIMEOUT s] [RESOURCE name])
# A GoogleTest program, one ctest entry. RESOURCE names something two tests must not use at once.
function(hilgate_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT;RESOURCE" "SOURCES;DEPENDS;LABELS")
  add_executable(${name} ${test_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE hilgate_options ${test_DEPENDS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE HILGATE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             HILGATE_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
  add_test(NAME ${name} COMMAND ${name})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${test_TIMEOUT} LABELS "${test_LABELS}")
  if(test_RESOURCE)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK ${test_RESOURCE})
  endif()
endfunction()

# hilgate_busy_tests(NAME...): one at a time, when the rest have begun, and in parallel with SCHED_IDLE processes
# alone: fuzzers, and the build with ThreadSanitizer, which would take the machine for ten minutes otherwise. Tests
# whose processor times or delays are compared are RUN_SERIAL instead.
function(hilgate_busy_tests)
  set_tests_properties(${ARGV} PROPERTIES PROCESSORS 2 RESOURCE_LOCK busy COST -2)
endfunction()

# What fmt's headers leave out, for all that use it.
set_property(TARGET fmt::fmt APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
  "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${CMAKE_SOURCE_DIR}/cmake/extern_fmt.h>")

# Standalone Asio: no CMake package in Debian, and its own functions are compiled once.
find_path(ASIO_INCLUDE_DIR asio.hpp REQUIRED)
add_library(hilgate_asio STATIC ${CMAKE_SOURCE_DIR}/cmake/asio.cc)
target_include_directories(hilgate_asio SYSTEM PUBLIC ${ASIO_INCLUDE_DIR})
# Asio uses std::aligned_alloc only where a header of the standard library came before its own; two files that differ in
# that would allocate and free memory in different ways.
target_compile_definitions(hilgate_asio PUBLIC
  ASIO_STANDALONE ASIO_NO_DEPRECATED ASIO_DISABLE_STD_ALIGNED_ALLOC ASIO_SEPARATE_COMPILATION)
target_link_libraries(hilgate_asio PUBLIC Threads::Threads PRIVATE hilgate_options)
