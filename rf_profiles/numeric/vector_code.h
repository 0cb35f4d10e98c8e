// SPDX-License-Identifier: Apache-2.0
// HILGATE_VECTOR_CODE in front of a function that goes through a batch: all that it calls becomes part of it, and it is
// compiled for AVX2 too, and the machine takes what it can. Not under sanitizers, whose run-time is not there yet when
// the choice is made.
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define HILGATE_VECTOR_CODE [[gnu::flatten, gnu::target_clones("arch=x86-64-v4", "avx2", "default")]]
#else
#define HILGATE_VECTOR_CODE [[gnu::flatten]]
#endif
