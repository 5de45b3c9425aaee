/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_expr.c - fuzz the text of a boolean expression
 *
 * What compiles is evaluated on a buffer, printed, and compiled again: the
 * second printing must equal the first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ubf.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

static long plain(UBFH *p, char *name)
{
	return (long)strlen(name);
}

static long with_arg(UBFH *p, char *name, char *arg)
{
	return (long)strlen(arg);
}

/* Field tables in a folder that is gone once they are loaded. */
static void load_tables(void)
{
	char dir[] = "/tmp/ow-fuzz-expr-XXXXXX", path[64];
	FILE *f;

	must(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/t.fd", dir);
	f = fopen(path, "w");
	must(f != NULL);
	fputs("L 1 long\nS 2 string\nD 3 double\nC 4 char\nU 5 ubf\n"
	      "F 6 float\nR 7 carray\nH 8 short\nV 9 view\nN 10 long\n", f);
	must(fclose(f) == 0);
	setenv("FLDTBLDIR", dir, 1);
	setenv("FIELDTBLS", "t.fd", 1);
	must(Bfldid((char *)"L") != BBADFLDID);
	unlink(path);
	rmdir(dir);
}

static UBFH *make_buffer(void)
{
	static const char *const names[] = { "L", "S", "D", "C", "F", "R",
					     "H" };
	static const char *const values[] = { "42", "HELLO WORLD", "-3.5",
					      "7" };
	UBFH *p = Balloc(100, 8000), *in = Balloc(30, 1000);
	size_t i;

	for (i = 0; i < 28; i++) {
		must(CBadd(in, Bfldid((char *)names[i % 7]),
			   (char *)values[i % 4], 4, BFLD_STRING) == 0);
	}
	must(Bcpy(p, in) == 0);
	for (i = 0; i < 3; i++)
		must(Badd(p, Bfldid((char *)"U"), (char *)in, 0) == 0);
	Bfree(in);
	return p;
}

static char *print(char *tree)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	must(f != NULL);
	Bboolpr(tree, f);
	must(fclose(f) == 0);
	return text;
}

static void run(UBFH *p, char *tree)
{
	char *once = print(tree), *twice, *again;
	int truth = Bboolev(p, tree);

	must(truth == 0 || truth == 1);
	(void)Bfloatev(p, tree);
	must(Berror == 0);
	again = Bboolco(once);
	/* Doubles of 300 digits make it longer. */
	if (again != NULL) {
		twice = print(again);
		must(strcmp(once, twice) == 0);
		free(twice);
		Btreefree(again);
	}
	free(once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static UBFH *p;
	char *text, *tree;

	if (p == NULL) {
		load_tables();
		p = make_buffer();
		Bboolsetcbf((char *)"f", plain);
		Bboolsetcbf2((char *)"g", with_arg);
	}
	text = malloc(size + 1);
	must(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	tree = Bboolco(text);
	if (tree != NULL)
		run(p, tree);
	else
		must(Berror == BSYNTAX || Berror == BBADNAME ||
		     Berror == BEBADOP || Berror == BMALLOC);
	Btreefree(tree);
	free(text);
	return 0;
}
