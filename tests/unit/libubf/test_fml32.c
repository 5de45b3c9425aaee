/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_fml32.c - every function of FML, by the names like Fget32
 */
#define N(name) name##32

#include "tests/unit/libubf/fml_names.h"
