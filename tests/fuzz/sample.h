/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.h - fields of every type, and a view, for fuzzers
 *
 * The files are removed once they are loaded.
 */
#ifndef OW_FUZZ_SAMPLE_H
#define OW_FUZZ_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <ubf.h>

static inline void fuzz_sample_must(int ok)
{
	if (!ok)
		abort();
}

static inline void fuzz_sample_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	fuzz_sample_must(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

static inline void fuzz_sample_load(void)
{
	char dir[] = "/tmp/ow-fuzz-XXXXXX", fields[64], views[64];

	fuzz_sample_must(mkdtemp(dir) != NULL);
	snprintf(fields, sizeof(fields), "%s/t.fd", dir);
	snprintf(views, sizeof(views), "%s/t.v", dir);
	fuzz_sample_file(fields,
			 "L 1 long\nS 2 string\nD 3 double\nC 4 char\n"
			 "U 5 ubf\nF 6 float\nR 7 carray\nH 8 short\n"
			 "V 9 view\nP 10 ptr\nN 11 long\n");
	fuzz_sample_file(views,
			 "VIEW SAMPLE\nlong one - 2 C - -\n"
			 "string two - 3 CL 12 -\ncarray three - 2 L 8 -\n"
			 "float four - 1 - - 1.5\nchar five - 1 - - 'x'\n"
			 "string six - 1 P 6 \"-\"\nEND\n");
	setenv("FLDTBLDIR", dir, 1);
	setenv("FIELDTBLS", "t.fd", 1);
	setenv("VIEWDIR", dir, 1);
	setenv("VIEWFILES", "t.v", 1);
	fuzz_sample_must(Bfldid((char *)"L") != BBADFLDID);
	fuzz_sample_must(Bvsizeof((char *)"SAMPLE") > 0);
	unlink(fields);
	unlink(views);
	rmdir(dir);
}

/* Add a SAMPLE with some members set. */
static inline void fuzz_sample_view(UBFH *p, BFLDID id)
{
	BVIEWFLD f = { 0, "SAMPLE", calloc(1, 4096) };
	char *v = f.vname;

	fuzz_sample_must(f.data != NULL && Bvsinit(f.data, v) == 0);
	fuzz_sample_must(CBvchg(f.data, v, (char *)"one", 1, (char *)"42", 0,
				BFLD_STRING) == 0);
	fuzz_sample_must(CBvchg(f.data, v, (char *)"two", 0, (char *)"HELLO",
				0, BFLD_STRING) == 0);
	fuzz_sample_must(Badd(p, id, (char *)&f, 0) == 0);
	free(f.data);
}

#endif
