/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bio.c - Bwrite, Bread, Bchksum: the binary form of a buffer, in files or
 * elsewhere
 *
 * Input is treated as foreign: it is read into separate memory, which grows
 * with the bytes that arrive, whatever length the head claims. It replaces the
 * buffer after all of it has been checked. Pointers mean nothing to another
 * process: they are left out, unless NDRX_APIFLAGS has ubf_ptrparse.
 */
#include "libubf/access/enter.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/base/apiflag.h"
#include "libubf/base/cleanup.h"
#include "libubf/io/binary.h"
#include "libubf/base/uncancelled.h"

#define PIECE (1u << 20)	/* bytes read at once */

typedef long io_fn(char *buffer, long bufsz, void *dataptr1);

static long write_file(char *buffer, long bufsz, void *file)
{
	OW_UNCANCELLED;

	return (long)fwrite(buffer, 1, (size_t)bufsz, file);
}

static long read_file(char *buffer, long bufsz, void *file)
{
	OW_UNCANCELLED;

	return (long)fread(buffer, 1, (size_t)bufsz, file);
}

/* Call `fn` until it has written or read `len` bytes: 0, or -1 with Berror. */
static int do_all(io_fn *fn, void *arg, char *at, size_t len)
{
	long n;

	while (len > 0) {
		n = fn(at, (long)len, arg);
		if (n <= 0 || (size_t)n > len)
			return ow_ubf_fail(BEUNIX, "%zu bytes are missing: %s",
					   len, n < 0 && errno != 0
						    ? strerror(errno)
						    : "end of data");
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int Bwritecb(UBFH *p_ub,
	     long (*p_writef)(char *buffer, long bufsz, void *dataptr1),
	     void *dataptr1)
{
	OW_CLEANUP(ow_cleanup_freep) char *data = NULL;
	size_t len;

	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (p_writef == NULL)
		return ow_ubf_fail(BEINVAL, "Bwritecb: no function");
	if (ow_ubf_binary_encode(p_ub, ow_apiflag("ubf_ptrparse"), &data,
				 &len) < 0)
		return ow_ubf_fail(BMALLOC, "Bwrite: out of memory");
	return do_all(p_writef, dataptr1, data, len);
}

/* Read `len` bytes to malloc'ed memory: 0, or -1 with Berror. */
static int read_body(io_fn *fn, void *arg, size_t len, char **body)
{
	size_t have = 0, n;
	char *t;

	while (have < len) {
		n = len - have < PIECE + have ? len - have : PIECE + have;
		t = realloc(*body, have + n);
		if (t == NULL)
			return ow_ubf_fail(BMALLOC, "Bread: %zu bytes",
					   have + n);
		*body = t;
		if (do_all(fn, arg, t + have, n) < 0)
			return -1;
		have += n;
	}
	return 0;
}

static int read_failed(int r)
{
	switch (-r) {
	case EBADMSG:
		return ow_ubf_fail(BNOTFLD, "Bread: not what Bwrite() wrote, "
				   "or damaged");
	case EPROTO:
		return ow_ubf_fail(BNOTFLD, "Bread: written by another "
				   "version");
	default:
		return ow_ubf_fail_errno(r, "Bread");
	}
}

int Breadcb(UBFH *p_ub,
	    long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
	    void *dataptr1)
{
	OW_CLEANUP(ow_cleanup_freep) char *body = NULL;
	OW_CLEANUP(ow_cleanup_freep) UBFH *in = NULL;
	struct ow_ubf_binary_head head;
	int64_t len;
	int r, swap;

	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (p_readf == NULL)
		return ow_ubf_fail(BEINVAL, "Breadcb: no function");
	if (do_all(p_readf, dataptr1, (char *)&head, sizeof(head)) < 0)
		return -1;
	len = ow_ubf_binary_head(&head, &swap);
	if (len < 0)
		return read_failed((int)len);
	if (read_body(p_readf, dataptr1, (size_t)len, &body) < 0)
		return -1;
	r = ow_ubf_binary_decode(&head, body, ow_apiflag("ubf_ptrparse"), &in);
	return r < 0 ? read_failed(r) : Bcpy(p_ub, in);
}

/* Of the binary form: the same wherever and however long the buffer lies. */
long Bchksum(UBFH *p_ub)
{
	OW_CLEANUP(ow_cleanup_freep) char *data = NULL;
	struct ow_ubf_binary_head head;
	size_t len;

	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (ow_ubf_binary_encode(p_ub, true, &data, &len) < 0)
		return ow_ubf_fail(BMALLOC, "Bchksum: out of memory");
	memcpy(&head, data, sizeof(head));
	return (long)head.crc;
}

int Bwrite(UBFH *p_ub, FILE *outf)
{
	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (outf == NULL)
		return ow_ubf_fail(BEINVAL, "Bwrite: no file");
	if (Bwritecb(p_ub, write_file, outf) < 0)
		return -1;
	if (fflush(outf) != 0)
		return ow_ubf_fail(BEUNIX, "Bwrite: %s", strerror(errno));
	return 0;
}

int Bread(UBFH *p_ub, FILE *inf)
{
	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (inf == NULL)
		return ow_ubf_fail(BEINVAL, "Bread: no file");
	return Breadcb(p_ub, read_file, inf);
}
