/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.h - the file of an LMDB data base, read without trusting it
 *
 * LMDB believes its pages: a bit that flips leads it astray, out of the file, or
 * to an older page. So the whole file is looked at before LMDB opens it: each
 * page is of the kind that its place wants, is inside the file, and has one use;
 * nodes fill their page as LMDB leaves them; keys ascend; what each table says of
 * its size is so; the list of free pages names no page that is used. What the
 * records are is their owner's matter: he gets each one that can be reached, also
 * when others cannot.
 *
 * The layout is that of LMDB 0.9 on 64 bit, little endian.
 */
#ifndef OW_TMQUEUE_PAGES_H
#define OW_TMQUEUE_PAGES_H

#include <lmdb.h>
#include <stdint.h>

struct pages_table {
	const char *name;
	unsigned int flags; /* of mdb_dbi_open() */
};

/* A record of table `table`; its bytes are the file's. */
typedef void pages_record_fn(unsigned int table, const MDB_val *key,
			     const MDB_val *data, void *arg);

struct pages_found {
	char problem[200]; /* the first one; "": there is none */
	uint64_t problems;
};

/* Read the file with these tables, and no others: 0, or -errno if it cannot be
 * read at all (-ENOENT: it is not there, or empty). */
int pages_read(const char *path, const struct pages_table *tables, unsigned int n,
	       pages_record_fn *record, void *arg, struct pages_found *ret);

#endif
