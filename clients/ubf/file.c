/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.c - a UBF buffer in a file, in one of three forms
 *
 * A file is read whole; the buffer grows until everything fits.
 */
#include "clients/ubf/file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/common/newfile.h"
#include "libubf/base/apiflag.h"
#include "libubf/io/binary.h"
#include "libubf/base/cleanup.h"
#include "libubf/json/ubf.h"

#define SIZE_FIRST 65536L
#define SIZE_LAST INT32_MAX

struct bytes {
	char *data;
	size_t len, at;
};

static int complain(const char *path, const char *why)
{
	fprintf(stderr, "ubf: %s: %s\n", path, why);
	return -1;
}

enum form form_by_name(const char *name)
{
	static const char *const names[] = {
		[FORM_AUTO] = "auto",
		[FORM_TEXT] = "text",
		[FORM_JSON] = "json",
		[FORM_BINARY] = "binary",
	};
	enum form f;

	for (f = FORM_AUTO; f < FORM_UNKNOWN; f++)
		if (strcmp(names[f], name) == 0)
			break;
	return f;
}

static enum form guess(const struct bytes *b)
{
	size_t i = 0;

	if (b->len >= 4 && memcmp(b->data, OW_UBF_BINARY_MAGIC, 4) == 0)
		return FORM_BINARY;
	while (i < b->len && strchr(" \t\r\n", b->data[i]) != NULL)
		i++;
	return i < b->len && b->data[i] == '{' ? FORM_JSON : FORM_TEXT;
}

/* The whole file; 0 or -1 after a message. */
static int slurp(const char *path, struct bytes *b)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	size_t cap = 0, n = 1;
	char *t;
	int bad;

	if (f == NULL)
		return complain(path, strerror(errno));
	while (n > 0) {
		if (cap - b->len < 2) {
			cap = 2 * cap + 4096;
			t = realloc(b->data, cap);
			if (t == NULL)
				break;
			b->data = t;
		}
		n = fread(b->data + b->len, 1, cap - b->len - 1, f);
		b->len += n;
	}
	bad = ferror(f);
	if (f != stdin)
		fclose(f);
	if (n > 0)
		return complain(path, "out of memory");
	return bad ? complain(path, "cannot be read") : 0;
}

static long feed(char *buffer, long bufsz, void *arg)
{
	struct bytes *b = arg;
	size_t n = b->len - b->at;

	if (n > (size_t)bufsz)
		n = (size_t)bufsz;
	memcpy(buffer, b->data + b->at, n);
	b->at += n;
	return (long)n;
}

/* 0; 1 the buffer is too small; -1 after a message. */
static int parse(UBFH *ub, const char *path, enum form form, struct bytes *b)
{
	char error[OW_JSON_ERROR_MAX] = "out of memory";
	int r;

	b->at = 0;
	if (form == FORM_JSON) {
		r = ow_json_to_ubf(ub, b->data, b->len, error);
		if (r == -ENOSPC)
			return 1;
		return r < 0 ? complain(path, error) : 0;
	}
	r = form == FORM_BINARY ? Breadcb(ub, feed, b)
				: Bextreadcb(ub, feed, b);
	if (r < 0 && Berror == BNOSPACE)
		return 1;
	return r < 0 ? complain(path, Bstrerror(Berror)) : 0;
}

UBFH *file_load(const char *path, enum form form)
{
	struct bytes b = { 0 };
	UBFH *ub = NULL;
	long size;
	int r = 1;

	if (slurp(path, &b) < 0) {
		free(b.data);
		return NULL;
	}
	if (form == FORM_AUTO)
		form = guess(&b);
	for (size = SIZE_FIRST; r == 1 && size <= SIZE_LAST; size *= 2) {
		Bfree(ub);
		ub = Balloc(1, (BFLDLEN)size);
		r = ub == NULL ? complain(path, Bstrerror(Berror))
			       : parse(ub, path, form, &b);
	}
	if (r == 1)
		complain(path, "too large for a buffer");
	free(b.data);
	if (r == 0)
		return ub;
	Bfree(ub);
	return NULL;
}

static int put_json(UBFH *ub, FILE *f, const char *path)
{
	struct ow_json_out out = { .grows = true };
	char error[OW_JSON_ERROR_MAX] = "out of memory";
	int r;

	out.escape = ow_apiflag("json_escape");
	r = ow_json_from_ubf(&out, ub, error);
	if (r == 0) {
		fwrite(out.text, 1, out.len, f);
		fputc('\n', f);
	}
	free(out.text);
	return r < 0 ? complain(path, error[0] ? error : "out of memory") : 0;
}

static int put(UBFH *ub, FILE *f, const char *path, enum form form)
{
	int r;

	if (form == FORM_JSON)
		return put_json(ub, f, path);
	r = form == FORM_BINARY ? Bwrite(ub, f) : Bfprint(ub, f);
	return r < 0 ? complain(path, Bstrerror(Berror)) : 0;
}

int file_store(UBFH *ub, const char *path, enum form form)
{
	OW_CLEANUP(ow_newfile_drop) struct ow_newfile f = { 0 };
	int r;

	if (strcmp(path, "-") == 0) {
		r = put(ub, stdout, path, form);
		if (fflush(stdout) != 0 && r == 0)
			r = complain("standard output", strerror(errno));
		return r;
	}
	r = ow_newfile_open(&f, path);
	if (r < 0)
		return complain(path, strerror(-r));
	if (put(ub, f.file, path, form) < 0)
		return -1;
	r = ow_newfile_close(&f);
	if (r == 0)
		r = ow_newfile_publish(&f);
	return r < 0 ? complain(path, strerror(-r)) : 0;
}
