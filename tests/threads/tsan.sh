#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tsan.sh SOURCE_DIR BUILD_DIR: builds threads_test and what it takes with ThreadSanitizer in BUILD_DIR, which is kept,
# and runs it. A sanitizer of its own needs objects of its own, so this is no target of the usual build. It is built in
# the time that other tests leave.
set -euo pipefail
source=$1 build=$2

cmake -S "$source" --preset tsan -B "$build" >/dev/null
chrt --idle 0 cmake --build "$build" --target threads_tests --parallel "$(nproc)"
TSAN_OPTIONS="halt_on_error=1 suppressions=/dev/null" "$build/tests/threads_tests"
