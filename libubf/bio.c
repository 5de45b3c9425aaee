/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bio.c - Bwrite, Bread: a buffer in binary form
 *
 * What is written are the used bytes. What is read is treated as foreign: it
 * is read into memory of its own and checked before it replaces a buffer.
 */
#include "libubf/buffer.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/bulk.h"
#include "libubf/cleanup.h"
#include "libubf/store.h"

typedef long io_fn(char *buffer, long bufsz, void *dataptr1);

static long write_file(char *buffer, long bufsz, void *file)
{
	return (long)fwrite(buffer, 1, (size_t)bufsz, file);
}

static long read_file(char *buffer, long bufsz, void *file)
{
	return (long)fread(buffer, 1, (size_t)bufsz, file);
}

/* Call `fn` until `len` bytes are done; 0 or -1 with Berror set. */
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
	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (p_writef == NULL)
		return ow_ubf_fail(BEINVAL, "Bwritecb: no function");
	return do_all(p_writef, dataptr1, (char *)p_ub, p_ub->used);
}

/* Replace p_ub by a checked buffer, without its holes if need be. */
static int take(UBFH *p_ub, UBFH *in)
{
	in->size = in->used;
	return Bcpy(p_ub, in);
}

int Breadcb(UBFH *p_ub,
	    long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
	    void *dataptr1)
{
	OW_CLEANUP(ow_cleanup_freep) struct Ubfh *in = NULL;
	struct Ubfh head;
	int r;

	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (p_readf == NULL)
		return ow_ubf_fail(BEINVAL, "Breadcb: no function");
	if (do_all(p_readf, dataptr1, (char *)&head, sizeof(head)) < 0)
		return -1;
	if (head.magic != OW_UBF_MAGIC || head.used < sizeof(head))
		return ow_ubf_fail(BNOTFLD, "Bread: not a UBF buffer");
	in = malloc(head.used);
	if (in == NULL)
		return ow_ubf_fail(BMALLOC, "Bread: %u bytes", head.used);
	*in = head;
	if (do_all(p_readf, dataptr1, (char *)(in + 1),
		   head.used - sizeof(head)) < 0)
		return -1;
	r = ow_ubf_check(in, head.used);
	return r < 0 ? ow_ubf_fail_errno(r, "Bread") : take(p_ub, in);
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
