# Targets of this project: one way to declare a library, a program and a test.

add_library(hilgate_options INTERFACE)
target_include_directories(hilgate_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(hilgate_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion>
  # What g++ has not in these, clang shall not have either.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion -Wno-missing-braces -Wno-pass-failed>
  $<$<AND:$<BOOL:${HILGATE_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>
  # g++ collects garbage at 128 MB, a tenth of its time; the largest unit takes 1.8 GB, and 2.1 GB with this.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param ggc-min-heapsize=800000>)

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

# hilgate_test(NAME SOURCES ... [DEPENDS ...] [NEEDS ...] [DEFINES ...] [LABELS ...] [TIMEOUT s] [RESOURCE name] [SERIAL]
#              [ALONE])
# One ctest entry: the GoogleTest cases of SOURCES. They are part of their folder's one test program, FOLDER_tests.
# DEPENDS names libraries, NEEDS programs that the cases run, RESOURCE what two entries must not use at once. A SERIAL
# entry runs when no other does. ALONE gives an entry a program of its own, for sources that change the whole process.
function(hilgate_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "ALONE;SERIAL" "TIMEOUT;RESOURCE" "SOURCES;DEPENDS;NEEDS;DEFINES;LABELS")
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" program ${folder}_tests)
  if(test_ALONE)
    set(program ${name})
  endif()
  set(sources "")
  foreach(source IN LISTS test_SOURCES)
    if(source MATCHES "[*]")
      file(GLOB found CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      list(APPEND sources ${found})
    else()
      list(APPEND sources ${source})
    endif()
  endforeach()
  set(test_SOURCES ${sources})
  hilgate_test_program(${program} SOURCES ${test_SOURCES} DEPENDS ${test_DEPENDS} NEEDS ${test_NEEDS}
                                  DEFINES ${test_DEFINES})
  list(FILTER test_SOURCES INCLUDE REGEX "_test\\.cc$")
  foreach(source IN LISTS test_SOURCES)
    cmake_path(SET file NORMALIZE tests/${folder}/${source})
    list(APPEND files ${file})
  endforeach()
  list(JOIN files "," files)
  add_test(NAME ${name} COMMAND ${program} --files=${files})
  set_property(GLOBAL PROPERTY hilgate_program_of_${name} ${program})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${test_TIMEOUT} LABELS "${test_LABELS}" RUN_SERIAL ${test_SERIAL})
  if(test_RESOURCE)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK ${test_RESOURCE})
  endif()
endfunction()

# hilgate_test_program(PROGRAM [SOURCES ...] [DEPENDS ...] [NEEDS ...] [DEFINES ...])
# Adds these to a test program. A folder whose entries share them calls it once.
function(hilgate_test_program program)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;DEPENDS;NEEDS;DEFINES")
  if(NOT TARGET ${program})
    add_executable(${program})
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_link_libraries(${program} PRIVATE hilgate_options hilgate_test_main)
    target_compile_definitions(${program} PRIVATE HILGATE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                                  HILGATE_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
  endif()
  get_target_property(present ${program} SOURCES)
  foreach(source IN LISTS test_SOURCES)
    if(NOT source IN_LIST present)
      target_sources(${program} PRIVATE ${source})
    endif()
  endforeach()
  target_link_libraries(${program} PRIVATE ${test_DEPENDS})
  target_compile_definitions(${program} PRIVATE ${test_DEFINES})
  if(test_NEEDS)
    add_dependencies(${program} ${test_NEEDS})
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
