/* SPDX-License-Identifier: Apache-2.0 */
/*
 * views.c - errors of the functions for views
 */
#include "tests/man/errors/errors.h"

#include <tpbind.h>

#define CUSTOMER ((char *)"CUSTOMER")
#define NO_VIEW ((char *)"NOVIEW")
#define NO_TYPE 77

static char room[200];
static char structure[200], other[200];

static void with_a_bad_file(void)
{
	UBFH *p = record();

	FAILS(BVFSYNTAX, Bvsizeof(CUSTOMER));
	FAILS(BVFSYNTAX, Bvboolco("age > 1", CUSTOMER));
	FAILS(BVFSYNTAX, Bvftos(p, structure, CUSTOMER));
	FAILS(BVFSYNTAX, CBvget(structure, CUSTOMER, "name", 0, room, NULL,
				BFLD_STRING, 0));
}

/* A folder. */
static void with_a_folder_as_file(void)
{
	UBFH *p = record();

	FAILS(BVFOPEN, Bvsizeof(CUSTOMER));
	FAILS(BVFOPEN, Bvboolco("age > 1", CUSTOMER));
	FAILS(BVFOPEN, Bvftos(p, structure, CUSTOMER));
	FAILS(BVFOPEN, CBvget(structure, CUSTOMER, "name", 0, room, NULL,
			      BFLD_STRING, 0));
}

static void definitions(char *c)
{
	struct Bfield nothing = { 0, 0, BFLD_STRING, -1, "nothing", room, 0 };

	FAILS(BEINVAL, Bvsizeof(NULL));
	FAILS(BBADVIEW, Bvsizeof(NO_VIEW));
	FAILS(BBADVIEW, Bvboolco("age > 1", NO_VIEW));
	FAILS(BNOCNAME, Bvselinit(c, "nothing", CUSTOMER));
	FAILS(BBADVIEW, Bvgetfields(c, NO_VIEW, NULL, 0));
	FAILS(BNOCNAME, Bvputfields(other, CUSTOMER, &nothing, 1, NULL));
}

static void mappings(UBFH *p, char *c)
{
	FAILS(BALIGNERR, Bvftos(shifted(p), c, CUSTOMER));
	FAILS(BNOTFLD, Bvftos((UBFH *)calloc(1, 100), c, CUSTOMER));
	FAILS(BEINVAL, Bvstof(p, c, 99, CUSTOMER));
	FAILS(BBADVIEW, Bvftos(p, c, NO_VIEW));
	FAILS(BBADNAME, Bvftos(p, c, "STRANGER"));
	memset(structure, 0xff, sizeof(structure));
	FAILS(BBADACM, Bvstof(p, structure, BUPDATE, "LIST"));
	FAILS(BNOSPACE, Bvstof(tiny(), c, BUPDATE, CUSTOMER));
}

static void members(char *c)
{
	BFLDLEN none = 1;

	FAILS(BEINVAL, CBvget(NULL, CUSTOMER, "name", 0, room, NULL,
			      BFLD_STRING, 0));
	FAILS(BBADVIEW, CBvget(c, NO_VIEW, "name", 0, room, NULL,
			       BFLD_STRING, 0));
	FAILS(BNOCNAME, CBvget(c, CUSTOMER, "nothing", 0, room, NULL,
			       BFLD_STRING, 0));
	FAILS(BNOTPRES, CBvget(c, CUSTOMER, "name", 0, room, NULL,
			       BFLD_STRING, BVACCESS_NOTNULL));
	FAILS(BNOSPACE, CBvget(c, CUSTOMER, "account", 0, room, &none,
			       BFLD_STRING, 0));
	FAILS(BTYPERR, CBvget(c, CUSTOMER, "name", 0, room, NULL, NO_TYPE, 0));
	FAILS(BEBADOP, CBvget(c, CUSTOMER, "name", 0, room, NULL, BFLD_UBF,
			      0));
	FAILS_WITHOUT_MEMORY(BMALLOC, CBvgetalloc(c, CUSTOMER, "account", 0,
						  BFLD_STRING, 0, NULL));
}

/* A file with this text, to be read. */
static FILE *file_of(const char *content)
{
	FILE *f = tmpfile();

	EXPECT(f != NULL && fputs(content, f) >= 0);
	rewind(f);
	return f;
}

static void prints(char *c)
{
	FILE *full = fopen("/dev/full", "w");

	EXPECT(full != NULL);
	setbuf(full, NULL);
	FAILS(BEINVAL, Bvprint(NULL, CUSTOMER));
	FAILS(BBADVIEW, Bvprint(c, NO_VIEW));
	FAILS(BEUNIX, Bvfprint(c, CUSTOMER, full));
	FAILS(BNOCNAME, Bvextread(c, CUSTOMER, file_of("nothing\t1\n\n")));
	FAILS(BSYNTAX, Bvextread(c, CUSTOMER, file_of("name\n\n")));
	FAILS_WITHOUT_MEMORY(BMALLOC, Bvfprint(c, CUSTOMER, stderr));
}

int main(void)
{
	UBFH *p = record();
	char *c;

	with("VIEWFILES=bad.v", with_a_bad_file);
	with("VIEWFILES=folder.v", with_a_folder_as_file);
	c = a_customer();
	definitions(c);
	mappings(p, c);
	prints(c);
	EXPECT(CBvchg(c, CUSTOMER, "name", 0, "", 0, BFLD_STRING) == 0);
	members(c);
	return wrong;
}
