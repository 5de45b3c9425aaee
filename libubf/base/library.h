/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h - a shared library that is loaded when it is first needed
 *
 * Linked, it would make the start of every process longer, also of those that
 * never call it: nearly all.
 *
 * The header of a library has a list X(name) of the functions that are called,
 * and a structure of pointers to them in the same order, made of that list.
 */
#ifndef OW_LIBRARY_H
#define OW_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Load a library and find `n` functions. Their addresses go to
 * `ret_functions`, a structure of `n` function pointers. False: the library or
 * one of the functions is missing; nothing of the structure may be used. */
bool ow_library_load(const char *file, const char *const *names, size_t n,
		     void *ret_functions);

#endif
