/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h - the files of the page, which are in the program
 */
#ifndef OW_WEB_PAGE_H
#define OW_WEB_PAGE_H

#include <stddef.h>

struct ow_page {
	const char *path, *type;
	const char *bytes;
	size_t n;
};

/* The file at a path of the console, or NULL. */
const struct ow_page *ow_page_find(const char *path);

#endif
