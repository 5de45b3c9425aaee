/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_form_alloc.c - text, binary, JSON and expressions when the n-th
 * allocation fails, for every n
 *
 * Each operation is repeated with the failure one allocation later, until it
 * succeeds. Every failure must be reported as BMALLOC and leave a valid buffer.
 * At the beginning nothing is loaded, so the first operation includes the
 * failures of loading field tables and view files.
 */
#include "tests/unit/libubf/view_test.h"

#include "tests/unit/libubf/failing_alloc.h"
#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "libubf/json/ubf.h"

#define SIZE 16000
#define S(text) ((char *)(text))

static UBFH *from, *to;
static char *text, *json, *binary;
static size_t text_len, json_len, binary_len;
static FILE *null;

struct bytes {
	const char *at;
	size_t len;
};

static long give(char *buffer, long n, void *arg)
{
	struct bytes *b = arg;
	size_t k = b->len < (size_t)n ? b->len : (size_t)n;

	memcpy(buffer, b->at, k);
	b->at += k;
	b->len -= k;
	return (long)k;
}

static long take(char *buffer, long n, void *arg)
{
	return n;
}

static int line(char **buffer, long n, void *arg, int *do_write, FILE *f,
		int fid)
{
	return 0;
}

static long one(UBFH *p, char *name, char *arg)
{
	return 1;
}

/* Turn a result of JSON functions into 0 or -1 with Berror. */
static int json_result(int r)
{
	if (r == -ENOMEM)
		*ndrx_Bget_Ferror_addr() = BMALLOC;
	else if (r < 0)
		fail_msg("JSON: %d", r);
	return r;
}

static int freed(char *p)
{
	free(p);
	return p == NULL ? -1 : 0;
}

/* ---- the operations ---- */

static int names(void)
{
	return Bfldid(S("LONG")) == BBADFLDID ? -1 : 0;
}

static int views(void)
{
	return Bvsizeof(S("SAMPLE")) < 0 ? -1 : 0;
}

static int print_file(void)
{
	return Bfprint(from, null);
}

static int print_lines(void)
{
	return Bfprintcb(from, line, NULL);
}

static int extread(void)
{
	return Bextreadcb(to, give, &(struct bytes){ text, text_len });
}

static int write_binary(void)
{
	return Bwritecb(from, take, NULL);
}

static int read_binary(void)
{
	return Breadcb(to, give, &(struct bytes){ binary, binary_len });
}

static int write_json(void)
{
	struct ow_json_out out = { .grows = true };
	char error[OW_JSON_ERROR_MAX];
	int r = ow_json_from_ubf(&out, from, error);

	free(out.text);
	return json_result(r);
}

static int read_json(void)
{
	char error[OW_JSON_ERROR_MAX];

	return json_result(ow_json_to_ubf(to, json, json_len, error));
}

static int boolco(void)
{
	char *tree = Bboolco(S("LONG == 5 && STRING %% '^a[bc]*$' || "
			       "UBF[?].VIEW.one > 2 && f('x') ^ !SHORT"));
	int r;

	if (tree == NULL)
		return -1;
	r = Bboolev(from, tree);
	Btreefree(tree);
	return r < 0 ? -1 : 0;
}

static int set_function(void)
{
	return Bboolsetcbf2(S("f"), one);
}

static int find_occurrence(void)
{
	return Bfindocc(from, F_STRING, S("a.*"), 1) < 0 ? -1 : 0;
}

static int convert(void)
{
	return freed(Btypcvt(NULL, BFLD_STRING, S("\1\0\0\0\0\0\0"), BFLD_LONG,
			     0));
}

static int get_view(void)
{
	return freed(CBgetalloc(from, F_VIEW, 0, BFLD_VIEW, NULL));
}

static int get_member(void)
{
	return freed(CBvgetallocrv(from, S("two"), 0, BFLD_STRING, 0, NULL,
				   F_VIEW, 0, BBADFLDOCC));
}

static int find_converted(void)
{
	return CBfind(from, F_LONG, 0, NULL, BFLD_STRING) == NULL ? -1 : 0;
}

static int project(void)
{
	return Bprojcpy(to, from, (BFLDID[]){ F_UBF, F_LONG, F_VIEW, 0 });
}

static int join(void)
{
	return Bojoin(to, from);
}

static int map_out(void)
{
	BVIEWFLD *f = (BVIEWFLD *)Bfind(from, F_VIEW, 0, NULL);

	return Bvstof(to, f->data, BUPDATE, S("SAMPLE"));
}

static int map_in(void)
{
	static struct SAMPLE s;

	return Bvftos(from, (char *)&s, S("SAMPLE"));
}

/* Repeat `call` with a later failure each time; returns the number of failures.
 * Some failures do no harm (a buffer is printed without field tables), so
 * success does not mean the end. */
static long exhaust(int (*call)(void), const char *name)
{
	int r = -1, error, reached = 1;
	long n;

	for (n = -1; reached && n < 2000; n++) {
		assert_int_equal(Binit(to, SIZE), 0);
		assert_int_equal(Badds(to, F_LONG, S("1")), 0);
		countdown = n + 1;
		r = call();
		error = Berror;
		reached = countdown < 0;
		countdown = -1;
		if (r < 0 && error != BMALLOC)
			fail_msg("%s, %ld: %s", name, n, Bstrerror(error));
		assert_int_equal(ow_ubf_check(to, ow_ubf_used(to)), 0);
	}
	assert_int_equal(r, 0);
	return n;
}

#define STORY(call, least) { #call, call, least }

static void every_operation_survives_every_failure(void **state)
{
	static const struct {
		const char *name;
		int (*call)(void);
		long least;	/* least number of failures */
	} operations[] = {
		STORY(print_file, 1),	 STORY(print_lines, 1),
		STORY(extread, 4),	 STORY(write_binary, 1),
		STORY(read_binary, 4),	 STORY(write_json, 1),
		STORY(read_json, 3),	 STORY(set_function, 1),
		STORY(boolco, 1),	 STORY(find_occurrence, 1),
		STORY(convert, 1),	 STORY(get_view, 1),
		STORY(get_member, 1),	 STORY(find_converted, 0),
		STORY(project, 1),	 STORY(join, 0),
		STORY(map_out, 1),	 STORY(map_in, 0),
	};
	size_t i;
	long n;

	for (i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		n = exhaust(operations[i].call, operations[i].name);
		if (n < operations[i].least)
			fail_msg("%s: %ld failures", operations[i].name, n);
	}
}

static void loading_survives_every_failure(void **state)
{
	assert_true(exhaust(names, "names") > 20);
	assert_true(exhaust(views, "views") > 50);
}

/* ---- buffers and texts for the operations ---- */

static void make_from(void)
{
	struct SAMPLE *s = view_sample();
	BVIEWFLD f = { 0, "SAMPLE", (char *)s };
	UBFH *in = Balloc(10, 4000);

	from = Balloc(20, 12000);
	assert_int_equal(Badd(in, F_VIEW, (char *)&f, 0), 0);
	assert_int_equal(Badds(in, F_STRING, S("in")), 0);
	assert_int_equal(Badd(from, F_UBF, (char *)in, 0), 0);
	assert_int_equal(Badd(from, F_VIEW, (char *)&f, 0), 0);
	assert_int_equal(Badds(from, F_LONG, S("5")), 0);
	assert_int_equal(Badds(from, F_STRING, S("abc")), 0);
	assert_int_equal(Badds(from, F_CARRAY, S("bytes")), 0);
	Bfree(in);
	free(s);
}

static void make_forms(void **state)
{
	struct ow_json_out out = { .grows = true };
	char error[OW_JSON_ERROR_MAX];
	FILE *f = open_memstream(&text, &text_len);

	make_from();
	assert_int_equal(Bfprint(from, f), 0);
	fclose(f);
	f = open_memstream(&binary, &binary_len);
	assert_int_equal(Bwrite(from, f), 0);
	fclose(f);
	assert_int_equal(ow_json_from_ubf(&out, from, error), 0);
	json = out.text;
	json_len = out.len;
}

static int setup(void **state)
{
	to = malloc(SIZE);
	null = fopen("/dev/null", "w");
	return to == NULL || null == NULL ? -1 : view_setup(state);
}

static int teardown(void **state)
{
	free(text);
	free(binary);
	free(json);
	free(to);
	Bfree(from);
	fclose(null);
	return view_teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loading_survives_every_failure),
		cmocka_unit_test(make_forms),
		cmocka_unit_test(every_operation_survives_every_failure),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
