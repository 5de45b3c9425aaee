/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texts.c - errors of the functions that print, read and write UBF buffers
 */
#include "tests/man/errors/errors.h"

/* A file with this text, to be read. */
static FILE *file_of(const char *content)
{
	FILE *f = tmpfile();

	EXPECT(f != NULL && fputs(content, f) >= 0);
	rewind(f);
	return f;
}

static FILE *full(void)
{
	FILE *f = fopen("/dev/full", "w");

	EXPECT(f != NULL);
	setbuf(f, NULL);
	return f;
}

static void prints(UBFH *p)
{
	FAILS(BALIGNERR, Bprint(shifted(p)));
	FAILS(BNOTFLD, Bprint(NULL));
	FAILS(BEINVAL, Bfprint(p, NULL));
	FAILS(BEUNIX, Bfprint(p, full()));
	FAILS_WITHOUT_MEMORY(BMALLOC, Bfprint(p, stderr));
}

static void reads(UBFH *p)
{
	char line[300];

	FAILS(BALIGNERR, Bextread(shifted(p), stdin));
	FAILS(BNOTFLD, Bextread(NULL, stdin));
	FAILS(BEINVAL, Bextread(p, NULL));
	FAILS(BSYNTAX, Bextread(p, file_of("NAME\n\n")));
	FAILS(BBADNAME, Bextread(p, file_of("NOBODY\tx\n\n")));
	FAILS(BBADVIEW, Bextread(p, file_of("T_VIEW\tNOVIEW\n\ta\t1\n\n\n")));
	snprintf(line, sizeof(line), "NAME\t%s\n\n", long_text());
	FAILS(BNOSPACE, Bextread(tiny(), file_of(line)));
	FAILS(BEUNIX, Bextread(p, fopen(".", "r")));
	FAILS_WITHOUT_MEMORY(BMALLOC, Bextread(p, stdin));
}

static void write_a_view(void)
{
	FILE *f = fopen("view.bin", "w");
	UBFH *p = Balloc(10, 1000);
	BVIEWFLD field = { .vname = "CUSTOMER", .data = a_customer() };

	EXPECT(f != NULL && p != NULL);
	EXPECT(Bchg(p, F_VIEW, 0, (char *)&field, 0) == 0);
	EXPECT(Bwrite(p, f) == 0 && fclose(f) == 0);
}

static void files(UBFH *p)
{
	FILE *f = tmpfile();

	set(p, F_NAME, long_text());
	FAILS(BALIGNERR, Bwrite(shifted(p), f));
	FAILS(BNOTFLD, Bwrite(NULL, f));
	FAILS(BEINVAL, Bwrite(p, NULL));
	FAILS(BEUNIX, Bwrite(p, full()));
	FAILS(BEUNIX, Bread(p, file_of("")));
	FAILS(BNOTFLD, Bread(p, file_of("These are not the data of a buffer, "
					"but they are long enough for one")));
	EXPECT(f != NULL && Bwrite(p, f) == 0);
	rewind(f);
	FAILS(BNOSPACE, Bread(tiny(), f));
	rewind(f);
	FAILS_WITHOUT_MEMORY(BMALLOC, Bread(p, f));
}

int main(void)
{
	UBFH *p = record();

	with("VIEWFILES=other.v", write_a_view);
	FAILS(BBADVIEW, Bread(p, fopen("view.bin", "r")));
	prints(p);
	reads(p);
	files(p);
	return wrong;
}
