/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_view_field.c - views as fields of a buffer
 */
#include "tests/unit/libubf/view_test.h"

#include "tests/fuzz/ubf/exercise.h"
#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "libubf/viewdef/field.h"

#define CN(name) ((char *)(name))

static struct SAMPLE *sample(int one)
{
	struct SAMPLE *s = view_sample();

	memset((char *)s + offsetof(struct SAMPLE, one) + 2, one, 2);
	s->one = (short)one;
	strcpy(s->seven[0], "seven");
	s->C_seven = 1;
	return s;
}

static UBFH *with_view(int one)
{
	struct SAMPLE *s = sample(one);
	BVIEWFLD f = { 0, "SAMPLE", (char *)s };
	UBFH *p = Balloc(20, 4000);

	assert_int_equal(Badd(p, F_VIEW, (char *)&f, 0), 0);
	free(s);
	return p;
}

static void a_view_is_read_as_it_was_added(void **state)
{
	struct SAMPLE *s = sample(7), out;
	UBFH *p = with_view(7);
	BVIEWFLD got = { 0 }, *found;
	BFLDLEN len = sizeof(out);

	assert_int_equal(Blen(p, F_VIEW, 0), sizeof(out));
	got.data = (char *)&out;
	assert_int_equal(Bget(p, F_VIEW, 0, (char *)&got, &len), 0);
	assert_int_equal(len, sizeof(out));
	assert_string_equal(got.vname, "SAMPLE");
	assert_int_equal(Bvcmp((char *)&out, CN("SAMPLE"), (char *)s,
			       CN("SAMPLE")), 0);
	len = 0;
	found = (BVIEWFLD *)Bfind(p, F_VIEW, 0, &len);
	assert_non_null(found);
	assert_int_equal(len, sizeof(out));
	assert_int_equal(((struct SAMPLE *)found->data)->one, 7);
	len = sizeof(out) - 1;
	assert_int_equal(Bget(p, F_VIEW, 0, (char *)&got, &len), -1);
	assert_int_equal(Berror, BNOSPACE);
	got.data = NULL;
	assert_int_equal(Bget(p, F_VIEW, 0, (char *)&got, NULL), -1);
	assert_int_equal(Berror, BEINVAL);
	len = 10;
	found = (BVIEWFLD *)Bgetalloc(p, F_VIEW, 0, &len);
	assert_non_null(found);
	assert_int_equal(len, sizeof(out));
	assert_int_equal(((struct SAMPLE *)found->data)->one, 7);
	free(found);
	Bfree(p);
	free(s);
}

static void bytes_between_members_are_not_stored(void **state)
{
	UBFH *p = with_view(7), *q = with_view(7);
	struct SAMPLE *s;
	char *v = Bfind(p, F_VIEW, 0, NULL);

	s = (struct SAMPLE *)((BVIEWFLD *)v)->data;
	assert_int_equal(((char *)s)[2], 0);
	assert_int_equal(Bcmp(p, q), 0);
	Bfree(p);
	Bfree(q);
}

static void views_change_compare_and_are_found(void **state)
{
	struct SAMPLE *s = sample(9);
	BVIEWFLD f = { 0, "SAMPLE", (char *)s }, *got;
	UBFH *p = with_view(7), *q = with_view(7);

	assert_int_equal(Bchg(p, F_VIEW, 2, (char *)&f, 0), 0);
	assert_int_equal(Boccur(p, F_VIEW), 3);
	got = (BVIEWFLD *)Bfind(p, F_VIEW, 1, NULL);
	assert_string_equal(got->vname, "");
	assert_null(got->data);
	assert_int_equal(Blen(p, F_VIEW, 1), 0);
	assert_int_equal(Bfindocc(p, F_VIEW, (char *)&f, 0), 2);
	assert_int_equal(Bchg(q, F_VIEW, 0, (char *)&f, 0), 0);
	assert_int_equal(Bcmp(p, q), -1);
	assert_int_equal(Bcmp(q, p), 1);
	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	/* Add a view that lies in the buffer itself. */
	assert_int_equal(Badd(p, F_VIEW, Bfind(p, F_VIEW, 0, NULL), 0), 0);
	got = (BVIEWFLD *)Bfind(p, F_VIEW, 3, NULL);
	assert_int_equal(((struct SAMPLE *)got->data)->one, 7);
	assert_int_equal(Bdel(p, F_VIEW, 0), 0);
	assert_int_equal(Bconcat(q, p), 0);
	assert_int_equal(Boccur(q, F_VIEW), 4);
	assert_int_equal(ow_ubf_check(q, (size_t)Bused(q)), 0);
	Bfree(p);
	Bfree(q);
	free(s);
}

static void bnext_returns_views(void **state)
{
	UBFH *p = with_view(7);
	Bnext_state_t st = { 0 };
	struct SAMPLE out;
	BVIEWFLD f = { .data = (char *)&out };
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	BFLDLEN len = sizeof(out);
	char *d;

	assert_int_equal(Bnext2(&st, p, &id, &occ, (char *)&f, &len, &d), 1);
	assert_int_equal(len, sizeof(out));
	assert_int_equal(out.one, 7);
	assert_string_equal(((BVIEWFLD *)d)->vname, "SAMPLE");
	assert_int_equal(((struct SAMPLE *)((BVIEWFLD *)d)->data)->one, 7);
	assert_int_equal(Bnext2(&st, p, &id, &occ, NULL, &len, &d), 0);
	Bfree(p);
}

static void views_convert_to_no_other_type(void **state)
{
	struct SAMPLE *s = sample(1);
	BVIEWFLD f = { 0, "SAMPLE", (char *)s };
	UBFH *p = with_view(7);
	char buf[64];
	int type;

	for (type = BFLD_MIN; type <= BFLD_MAX; type++) {
		if (type == BFLD_VIEW || type == BFLD_RFU0)
			continue;
		assert_int_equal(CBget(p, F_VIEW, 0, buf, NULL, type), -1);
		assert_int_equal(Berror, BEBADOP);
		assert_null(CBfind(p, F_VIEW, 0, NULL, type));
		assert_int_equal(Berror, BEBADOP);
	}
	assert_int_equal(CBadd(p, F_STRING, (char *)&f, 0, BFLD_VIEW), -1);
	assert_int_equal(Berror, BEBADOP);
	assert_int_equal(Badds(p, F_VIEW, CN("x")), -1);
	assert_int_equal(Berror, BEBADOP);
	assert_null(Btypcvt(NULL, BFLD_STRING, (char *)&f, BFLD_VIEW, 0));
	assert_int_equal(Berror, BEBADOP);
	assert_null(Btypcvt(NULL, BFLD_VIEW, (char *)&f, BFLD_VIEW, 0));
	assert_int_equal(Berror, BEBADOP);
	Bfree(p);
	free(s);
}

static void bad_views_are_refused(void **state)
{
	struct SAMPLE *s = sample(1);
	BVIEWFLD f = { 0, "NOSUCH", (char *)s };
	UBFH *p = Balloc(5, 2000), *tiny = Balloc(1, 20);

	assert_int_equal(Badd(p, F_VIEW, (char *)&f, 0), -1);
	assert_int_equal(Berror, BBADVIEW);
	memset(f.vname, 'x', sizeof(f.vname));
	assert_int_equal(Badd(p, F_VIEW, (char *)&f, 0), -1);
	assert_int_equal(Berror, BEINVAL);
	strcpy(f.vname, "SAMPLE");
	f.data = NULL;
	assert_int_equal(Badd(p, F_VIEW, (char *)&f, 0), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Badd(p, F_VIEW, NULL, 0), -1);
	assert_int_equal(Berror, BEINVAL);
	f.data = (char *)s;
	assert_int_equal(Badd(tiny, F_VIEW, (char *)&f, 0), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(Bnum(p), 0);
	Bfree(p);
	Bfree(tiny);
	free(s);
}

static void members_are_reached_by_path(void **state)
{
	UBFH *in = with_view(7), *p = Balloc(5, 4000);
	BFLDID path[] = { F_UBF, 0, F_VIEW, 0, BBADFLDOCC };
	char text[100], *t;
	BFLDLEN len = sizeof(text);

	assert_int_equal(Badds(in, F_STRING, CN("x")), 0);
	assert_int_equal(Badd(p, F_UBF, (char *)in, 0), 0);
	assert_int_equal(CBvgetr(p, path, CN("one"), 0, text, &len,
				 BFLD_STRING, 0), 0);
	assert_string_equal(text, "7");
	assert_int_equal(CBvgetrv(p, CN("seven"), 0, text, NULL, BFLD_STRING,
				  BVACCESS_NOTNULL, F_UBF, 0, F_VIEW, 0,
				  BBADFLDOCC), 0);
	assert_string_equal(text, "seven");
	t = CBvgetallocr(p, path, CN("one"), 0, BFLD_STRING, 0, NULL);
	assert_string_equal(t, "7");
	free(t);
	t = CBvgetallocrv(p, CN("one"), 0, BFLD_STRING, 0, NULL, F_UBF, 0,
			  F_VIEW, 0, BBADFLDOCC);
	assert_string_equal(t, "7");
	free(t);
	assert_int_equal(Bvnullr(p, path, CN("two"), 0), 1);
	assert_int_equal(Bvnullrv(p, CN("one"), 0, F_UBF, 0, F_VIEW, 0,
				  BBADFLDOCC), 0);
	assert_int_equal(Bvnullrv(p, CN("one"), 0, F_UBF, 0, F_STRING, 0,
				  BBADFLDOCC), -1);
	assert_int_equal(Berror, BEBADOP);
	assert_int_equal(Bvnullrv(p, CN("one"), 0, F_UBF, 0, F_VIEW, 1,
				  BBADFLDOCC), -1);
	assert_int_equal(Berror, BNOTPRES);
	assert_int_equal(Bvnullr(p, path, CN("none"), 0), -1);
	assert_int_equal(Berror, BNOCNAME);
	path[0] = 0;
	assert_int_equal(Bvnullr(p, path, CN("one"), 0), -1);
	assert_int_equal(Berror, BBADFLD);
	Bfree(p);
	Bfree(in);
}

/* Copy the buffer; *ret_head is the value of its first field, a view. */
static UBFH *copy(UBFH *p, struct ow_ubf_view **ret_head)
{
	size_t n = (size_t)Bused(p);
	UBFH *q = malloc(n);

	memcpy(q, p, n);
	assert_int_equal(ow_ubf_adopt(q, n, n), 0);
	*ret_head = (struct ow_ubf_view *)ow_ubf_val_at(q, BFLD_VIEW, 0).data;
	return q;
}

static void foreign_views_are_checked(void **state)
{
	UBFH *p = with_view(7), *q;
	struct ow_ubf_view *h;
	size_t n = (size_t)Bused(p);

	q = copy(p, &h);
	memset(h->name, 'x', sizeof(h->name));
	assert_int_not_equal(ow_ubf_check(q, n), 0);
	free(q);
	q = copy(p, &h);
	h->cksum++;
	assert_int_not_equal(ow_ubf_check(q, n), 0);
	assert_null(Bfind(q, F_VIEW, 0, NULL));
	assert_int_equal(Berror, BBADVIEW);
	free(q);
	q = copy(p, &h);
	strcpy(h->name, "SMALL");
	assert_int_not_equal(ow_ubf_check(q, n), 0);
	free(q);
	q = copy(p, &h);
	h->name[0] = '\0';
	assert_int_not_equal(ow_ubf_check(q, n), 0);
	free(q);
	/* An unknown view is carried along. */
	q = copy(p, &h);
	strcpy(h->name, "UNKNOWN\n");
	assert_int_equal(ow_ubf_check(q, n), 0);
	assert_int_equal(ubf_exercise(q, n, 1), 1);
	assert_int_equal(Bvnullrv(q, CN("one"), 0, F_VIEW, 0, BBADFLDOCC),
			 -1);
	assert_int_equal(Berror, BBADVIEW);
	free(q);
	/* Random counts and lengths in a structure of the right size. */
	q = copy(p, &h);
	memset(h + 1, 0xff, sizeof(struct SAMPLE));
	assert_int_equal(ow_ubf_check(q, n), 0);
	assert_int_equal(ubf_exercise(q, n, 1), 1);
	free(q);
	Bfree(p);
}

static void mutated_buffers_are_refused_or_safe(void **state)
{
	UBFH *p = with_view(7), *q;
	size_t n = (size_t)Bused(p);
	struct ow_ubf_view *h;
	uint64_t seed = 88172645463325252u;
	int i, passed = 0;

	for (i = 0; i < 3000; i++) {
		q = copy(p, &h);
		((uint8_t *)q)[rnd_below(&seed, (uint32_t)n)] ^=
			(uint8_t)(1u << rnd_below(&seed, 8));
		passed += ubf_exercise(q, n, rnd(&seed));
		free(q);
	}
	assert_true(passed > 100);
	Bfree(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_view_is_read_as_it_was_added),
		cmocka_unit_test(bytes_between_members_are_not_stored),
		cmocka_unit_test(views_change_compare_and_are_found),
		cmocka_unit_test(bnext_returns_views),
		cmocka_unit_test(views_convert_to_no_other_type),
		cmocka_unit_test(bad_views_are_refused),
		cmocka_unit_test(members_are_reached_by_path),
		cmocka_unit_test(foreign_views_are_checked),
		cmocka_unit_test(mutated_buffers_are_refused_or_safe),
	};

	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
