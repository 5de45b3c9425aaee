/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tplogsetreqfile.c - the log file of a request, named by its buffer
 *
 * The name is in field EX_NREQLOGFILE of the request, so that each service that
 * the request passes through can log to one file.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/log/own.h"

/* EX_NREQLOGFILE of conf/ubftab/Exfields */
#define NAME ((BFLDID)(BFLD_STRING << 25 | 402))
#define NAME_EXTRA 64 /* bytes that a field needs besides its text */

/* Is it a UBF buffer of tpalloc()? -1 with tperrno. */
static int check_buffer(const char *data)
{
	struct ow_buf_info info;

	if (data == NULL || ow_buf_find(data, &info) != 0)
		return ow_tp_fail(TPEINVAL, "data %p is not a buffer from "
				  "tpalloc(), or was freed",
				  (const void *)data);
	if (info.type != OW_BUF_UBF)
		return ow_tp_fail(TPEINVAL, "the buffer is of type %s: only UBF "
				  "can name a file", info.type_name);
	return 0;
}

/* A buffer of another type, which names nothing: the argument does. */
static bool is_other(const char *data)
{
	struct ow_buf_info info;

	return data == NULL ||
	       (ow_buf_find(data, &info) == 0 && info.type != OW_BUF_UBF);
}

/* The name in the buffer; NULL: none. */
static const char *name_in(char *data)
{
	const char *name = Bfind((UBFH *)data, NAME, 0, NULL);

	return name != NULL && name[0] != '\0' ? name : NULL;
}

/* Write the name into the buffer, which is resized if it is full. */
static int store(char **data, char *filename)
{
	long size = tptypes(*data, NULL, NULL);
	char *p;

	if (Bchg((UBFH *)*data, NAME, 0, filename, 0) == 0)
		return 0;
	if (Berror != BNOSPACE)
		return ow_tp_fail(TPESYSTEM, "%s", Bstrerror(Berror));
	p = tprealloc(*data, size + (long)strlen(filename) + NAME_EXTRA);
	if (p == NULL)
		return -1;
	*data = p;
	if (Bchg((UBFH *)p, NAME, 0, filename, 0) == 0)
		return 0;
	return ow_tp_fail(TPESYSTEM, "%s", Bstrerror(Berror));
}

/* Have a service write the name into the buffer. */
static int ask(char **data, char *filesvc)
{
	long len = 0;

	if (tpcall(filesvc, *data, 0, data, &len, TPSIGRSTRT) != 0 ||
	    check_buffer(*data) != 0)
		return -1;
	return name_in(*data) != NULL
		   ? 0
		   : ow_tp_fail(TPENOENT, "service %s names no file", filesvc);
}

static int open_file(const char *name)
{
	int r = ow_log_own_request_file(name);

	if (r == -ENOMEM)
		return ow_tp_fail(TPEOS, "no memory for a log");
	return r != 0 ? ow_tp_fail(TPEOS, "request log %s: %s", name,
				   strerror(-r))
		      : 0;
}

int tplogsetreqfile(char **data, char *filename, char *filesvc)
{
	bool named = filename != NULL && filename[0] != '\0';

	ow_tp_clear();
	if (named && (data == NULL || is_other(*data)))
		return open_file(filename);
	if (data == NULL || *data == NULL)
		return ow_tp_fail(TPEINVAL, "neither a buffer nor a file name "
				  "is given");
	if (check_buffer(*data) != 0)
		return -1;
	if (name_in(*data) == NULL) {
		if (!named && (filesvc == NULL || filesvc[0] == '\0'))
			return ow_tp_fail(TPENOENT, "neither the buffer nor "
					  "the arguments name a file");
		if ((named ? store(data, filename)
			   : ask(data, filesvc)) != 0)
			return -1;
	}
	return open_file(name_in(*data));
}

int tploggetbufreqfile(char *data, char *filename, int bufsize)
{
	const char *name;

	ow_tp_clear();
	if (check_buffer(data) != 0)
		return -1;
	name = name_in(data);
	if (name == NULL)
		return ow_tp_fail(TPENOENT, "the buffer names no file");
	if (filename == NULL || bufsize <= 0 ||
	    strlen(name) >= (size_t)bufsize)
		return ow_tp_fail(TPEINVAL, "the name needs %zu bytes",
				  strlen(name) + 1);
	strcpy(filename, name);
	return 0;
}

int tplogdelbufreqfile(char *data)
{
	ow_tp_clear();
	if (check_buffer(data) != 0)
		return -1;
	if (Bdelall((UBFH *)data, NAME) != 0 && Berror != BNOTPRES)
		return ow_tp_fail(TPESYSTEM, "%s", Bstrerror(Berror));
	return 0;
}
