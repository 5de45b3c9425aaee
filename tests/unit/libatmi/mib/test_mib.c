/* SPDX-License-Identifier: Apache-2.0 */
/* test_mib.c - requests of MIB(5): read, refused, answered page by page */
#include "tests/unit/libatmi/domain_fixture.h"

#include <Excompat.h>
#include <stdio.h>
#include <stdlib.h>
#include <tpadm.h>
#include <ubf.h>

#include "libatmi/mib/fields.h"
#include "libatmi/mib/mib.h"
#include "libatmi/mib/object.h"

#define ROOM 65536

static struct ow_mib *mib;
static UBFH *in, *out;

static void the_ids_are_those_of_the_field_table(void **state)
{
#define X(name, id) assert_int_equal(OW_##name, name);
	OW_MIB_FIELD_IDS(X)
#undef X
}

static void fresh(UBFH **b)
{
	free(*b);
	*b = calloc(1, ROOM);
	assert_non_null(*b);
	assert_int_equal(Binit(*b, ROOM), 0);
}

static void want(BFLDID id, const char *text)
{
	assert_int_equal(CBadd(in, id, (char *)text, 0, BFLD_STRING), 0);
}

static void begin(const char *operation, const char *class)
{
	fresh(&in);
	if (operation != NULL)
		want(TA_OPERATION, operation);
	if (class != NULL)
		want(TA_CLASS, class);
}

static long number(BFLDID id)
{
	long n = -4711;

	Bget(out, id, 0, (char *)&n, NULL);
	return n;
}

static long ask(void)
{
	long e;

	fresh(&out);
	e = ow_mib_answer(mib, dom, in, out);
	assert_int_equal(number(TA_ERROR), e);
	assert_int_equal(e < 0, Bpres(out, TA_STATUS, 0));
	return e;
}

static void refused(long error, BFLDID field)
{
	assert_int_equal(ask(), error);
	assert_int_equal(number(TA_BADFLD), field);
}

/* ---- what is refused ---- */

static void requests_without_what_they_need_are_refused(void **state)
{
	char long_text[400];

	begin(NULL, "T_SERVER");
	refused(TAEREQUIRED, TA_OPERATION);
	begin("GET", NULL);
	refused(TAEREQUIRED, TA_CLASS);
	begin("PUT", "T_SERVER");
	refused(TAEINVAL, TA_OPERATION);
	begin("GET", "T_NOSUCH");
	refused(TAEINVAL, TA_CLASS);
	memset(long_text, 'x', sizeof(long_text));
	long_text[399] = '\0';
	begin("GET", long_text);
	refused(TAEINVAL, TA_CLASS);
	begin("GET", "T_SERVICE");
	want(TA_FILTER, "1");
	refused(TAEINVAL, TA_FILTER);
}

static void cursors_that_are_not_known_are_refused(void **state)
{
	static const char *const bad[] = {
		"", "x", ".TMIB-1-7_SC", ".TMIB-1-7_SC000000001",
		".TMIB-2-7_SC000000001", ".TMIB-1-8_SC000000001",
		".TMIB-1-7_SC000000001x", ".TMIB-1-7_SC-1",
	};
	size_t i;

	begin("GETNEXT", "T_SERVICE");
	refused(TAEREQUIRED, TA_CURSOR);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		begin("GETNEXT", "T_SERVICE");
		want(TA_CURSOR, bad[i]);
		refused(TAEINVAL, TA_CURSOR);
	}
}

static void settings_that_have_no_counterpart_are_refused(void **state)
{
	begin("SET", "T_CLIENT");
	want(TA_STATE, "DEA");
	refused(TAESUPPORT, TA_CLASS);
	begin("SET", "T_SERVER");
	want(TA_STATE, "ACT");
	refused(TAEREQUIRED, TA_SRVID);
	want(TA_SRVID, "99999");
	refused(TAEINVAL, TA_SRVID);
	begin("SET", "T_SERVER");
	want(TA_SRVID, "5");
	refused(TAEREQUIRED, TA_STATE);
	want(TA_STATE, "SUS");
	refused(TAEINVAL, TA_STATE);
	want(TA_CLOPT, "-A");
	refused(TAESUPPORT, TA_CLOPT);
	begin("SET", "T_SERVICE");
	want(TA_STATE, "SUS");
	refused(TAEREQUIRED, TA_SERVICENAME);
	want(TA_SERVICENAME, "NOSUCH");
	refused(TAEINVAL, TA_SERVICENAME);
	begin("SET", "T_SERVICE");
	want(TA_SERVICENAME, "S1");
	want(TA_LMID, "9");
	want(TA_STATE, "SUS");
	refused(TAEINVAL, TA_LMID);
	begin("SET", "T_SVCGRP");
	want(TA_SERVICENAME, "S1");
	want(TA_STATE, "SUS");
	want(TA_SRVID, "5");
	refused(TAESUPPORT, TA_SRVID);
	begin("SET", "T_SERVICE");
	want(TA_SERVICENAME, "S1");
	want(TA_STATE, "ACT");
	refused(TAESYSTEM, -4711); /* no ndrxd runs */
}

/* ---- pages ---- */

#define SERVICES 100

static void name_services(void)
{
	char name[16];
	int i;

	assert_int_equal(ow_tables_lock(dom->tables), 0);
	for (i = 0; i < SERVICES; i++) {
		snprintf(name, sizeof(name), "S%d", i);
		assert_true(ow_svc_name(dom->tables, name) >= 0);
	}
	ow_tables_unlock(dom->tables);
}

/* Take the objects of a page: how many times each service was seen. */
static void take_page(int seen[SERVICES])
{
	char name[64];
	BFLDLEN len;
	BFLDOCC i;
	int n;

	assert_int_equal(Boccur(out, TA_SERVICENAME), number(TA_OCCURS));
	for (i = 0; i < Boccur(out, TA_SERVICENAME); i++) {
		len = sizeof(name);
		assert_int_equal(Bget(out, TA_SERVICENAME, i, name, &len), 0);
		assert_int_equal(sscanf(name, "S%d", &n), 1);
		seen[n]++;
	}
}

static void next_page(void)
{
	char cursor[64];
	BFLDLEN len = sizeof(cursor);

	assert_int_equal(Bget(out, TA_CURSOR, 0, cursor, &len), 0);
	begin("GETNEXT", "T_SERVICE");
	want(TA_CURSOR, cursor);
	assert_int_equal(ask(), TAOK);
}

static void each_object_is_on_one_page(void **state)
{
	int seen[SERVICES] = { 0 }, i, pages = 1, left = SERVICES;

	begin("GET", "T_SERVICE");
	assert_int_equal(ask(), TAOK);
	for (;; pages++) {
		take_page(seen);
		left -= (int)number(TA_OCCURS);
		assert_int_equal(number(TA_MORE), left);
		if (left == 0)
			break;
		next_page();
	}
	assert_false(Bpres(out, TA_CURSOR, 0));
	assert_in_range(pages, 5, 50);
	for (i = 0; i < SERVICES; i++)
		assert_int_equal(seen[i], 1);
}

static void an_object_that_has_gone_is_passed_over(void **state)
{
	struct ow_svc *s =
	    &dom->tables->svc[ow_svc_find(dom->tables, "S99")];
	int seen[SERVICES] = { 0 };

	begin("GET", "T_SERVICE");
	assert_int_equal(ask(), TAOK);
	atomic_store(&s->used, OW_SVC_RENAMED);
	for (take_page(seen); number(TA_MORE) > 0; take_page(seen))
		next_page();
	atomic_store(&s->used, OW_SVC_NAMED);
	assert_int_equal(seen[99], 0);
	assert_int_equal(seen[98], 1);
}

static void keys_choose_objects_and_a_filter_chooses_fields(void **state)
{
	char id[24];

	begin("GET", "T_SERVICE");
	want(TA_SERVICENAME, "S7");
	want(TA_SERVICENAME, "S9");
	want(TA_STATE, "inactive");
	assert_int_equal(ask(), TAOK);
	assert_int_equal(number(TA_OCCURS), 2);
	assert_int_equal(number(TA_MORE), 0);
	want(TA_LMID, "9");
	assert_int_equal(ask(), TAOK);
	assert_int_equal(number(TA_OCCURS), 0);
	begin("GET", "T_SERVICE");
	snprintf(id, sizeof(id), "%d", (int)TA_STATE);
	want(TA_FILTER, id);
	want(TA_SERVICENAME, "S7");
	assert_int_equal(ask(), TAOK);
	assert_int_equal(Boccur(out, TA_STATE), 1);
	assert_false(Bpres(out, TA_SERVICENAME, 0));
}

static void cursors_are_bounded_and_the_oldest_goes_first(void **state)
{
	char first[64], last[64];
	BFLDLEN len = sizeof(first);
	int i;

	begin("GET", "T_SERVICE");
	assert_int_equal(ask(), TAOK);
	assert_int_equal(Bget(out, TA_CURSOR, 0, first, &len), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(ask(), TAOK);
	len = sizeof(last);
	assert_int_equal(Bget(out, TA_CURSOR, 0, last, &len), 0);
	begin("GETNEXT", NULL);
	want(TA_CURSOR, first);
	refused(TAEINVAL, TA_CURSOR);
	begin("GETNEXT", "T_QUEUE");
	want(TA_CURSOR, last);
	refused(TAEINVAL, TA_CLASS);
	begin("GETNEXT", NULL);
	want(TA_CURSOR, last);
	assert_int_equal(ask(), TAOK);
}

/* ---- classes ---- */

static void every_class_has_its_fields(void **state)
{
	const struct ow_mib_class *c;
	struct ow_mib_object o;
	int i, n;

	for (i = 0; ow_mib_classes[i] != NULL; i++) {
		c = ow_mib_classes[i];
		for (n = 0; c->fields[n].name != NULL; n++)
			;
		assert_in_range(n, 3, OW_MIB_VALUES);
		begin("GET", c->name);
		assert_int_equal(ask(), TAOK);
		o.n = 0;
		if (c->next(dom, 0) == OW_MIB_NOWHERE ||
		    !c->read(dom, c->next(dom, 0), &o))
			continue;
		assert_int_equal(o.n, n);
	}
}

static int setup(void **state)
{
	struct ow_mib_settings s = {
		.srvid = 7, .cursors = 4, .hold_s = 30, .page = 512
	};

	dom_make();
	name_services();
	mib = ow_mib_new(&s);
	return mib == NULL;
}

static int teardown(void **state)
{
	mib = ow_mib_free(mib);
	free(in);
	free(out);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ids_are_those_of_the_field_table),
		cmocka_unit_test(requests_without_what_they_need_are_refused),
		cmocka_unit_test(cursors_that_are_not_known_are_refused),
		cmocka_unit_test(settings_that_have_no_counterpart_are_refused),
		cmocka_unit_test(each_object_is_on_one_page),
		cmocka_unit_test(an_object_that_has_gone_is_passed_over),
		cmocka_unit_test(
		    keys_choose_objects_and_a_filter_chooses_fields),
		cmocka_unit_test(cursors_are_bounded_and_the_oldest_goes_first),
		cmocka_unit_test(every_class_has_its_fields),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
