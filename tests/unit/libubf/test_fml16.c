/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_fml16.c - every function of FML, by the names like Fget
 */
#define N(name) name

#include "tests/unit/libubf/fml_names.h"
