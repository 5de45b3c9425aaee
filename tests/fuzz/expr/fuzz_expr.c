/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_expr.c - fuzz the text of a boolean expression
 *
 * An expression that compiles is evaluated on a buffer, printed, and compiled
 * again: the second printing must equal the first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#include "tests/fuzz/sample.h"

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
	fuzz_sample_view(in, Bfldid((char *)"V"));
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
	/* Doubles of 300 digits may make it too long. */
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
		fuzz_sample_load();
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
