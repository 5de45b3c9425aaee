/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h - xadmin scan: what behaves differently here, line by line
 *
 * scan.c walks the folder and prints; source.c reads sources in C and C++ for names of
 * the interface; configuration.c reads configurations. The names are those of
 * doc/compatibility.md: names.inc is made of the same table
 * (tests/arch/compatible.py).
 */
#ifndef OW_SCAN_H
#define OW_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct ow_args;

/* The command, behind the table of commands. */
int ow_scan_run(struct ow_args *a);

/* A name that differs, or that is not here at all. */
struct ow_scan_name {
	const char *name;
	bool absent;
	const char *words; /* tell statements with one of them; "": all */
	const char *text; /* what differs, or why it is not here */
};

extern const struct ow_scan_name ow_scan_names[];
extern const size_t ow_scan_names_count;

/* A place where such a name stands. */
typedef void ow_scan_place_fn(size_t name, unsigned int line, void *arg);

/* Find the names in a source; comments and texts in quotes do not count. */
void ow_scan_source(const char *text, ow_scan_place_fn *fn, void *arg);

/* Is it a configuration: of Tuxedo, or of this system and Enduro/X? */
bool ow_scan_is_ubbconfig(const char *text);
bool ow_scan_is_dmconfig(const char *text);
bool ow_scan_is_xml(const char *text);
/* Print what is different, one line each; the number of lines. */
size_t ow_scan_ubbconfig(struct ow_args *a, const char *path);
size_t ow_scan_dmconfig(const char *path, const char *text);
size_t ow_scan_xml(const char *path, const char *text);

#endif
