/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_system_tables.c - the field tables of the system: Exfields, Excompat
 */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>

#include "libubf/tables/fldtbl.h"

static struct ow_fldtbl *table;
static int fields;

/* Add a file to the table, in which no id and no name may be twice. */
static void load(const char *path)
{
	struct ow_fldtbl_reader r;
	struct ow_fldtbl_item item;
	int res;

	assert_int_equal(ow_fldtbl_open(&r, path), 0);
	while ((res = ow_fldtbl_next(&r, &item)) > 0) {
		if (item.text != NULL)
			continue;
		if (ow_fldtbl_add(table, &r, &item) < 0)
			fail_msg("%s", r.in.error);
		/* What the system has for itself. */
		assert_true(item.number <= 3999);
		fields++;
	}
	assert_int_equal(res, 0);
	ow_fldtbl_close(&r);
}

static int setup(void **state)
{
	assert_int_equal(ow_fldtbl_new(&table), 0);
	load(OW_UBFTAB "/Exfields");
	load(OW_UBFTAB "/Excompat");
	return 0;
}

static int teardown(void **state)
{
	ow_fldtbl_freep(&table);
	return 0;
}

static void no_id_is_there_twice(void **state)
{
	assert_int_equal(fields, 60 + 59);
}

static void assert_field(const char *name, int type, int number)
{
	assert_int_equal(ow_fldtbl_id(table, name), Bmkfldid(type, number));
}

static void ids_are_those_that_are_documented(void **state)
{
	assert_field("SRVCNM", BFLD_STRING, 100);
	assert_field("EX_NREQLOGFILE", BFLD_STRING, 402);
	assert_field("EX_CC_CMD", BFLD_CHAR, 240);
	assert_field("EX_CC_SECTIONMASK", BFLD_STRING, 249);
	assert_field("EX_NERROR_CODE", BFLD_SHORT, 400);
	assert_field("EX_IF_URL", BFLD_STRING, 602);
	assert_field("EX_NETDATA", BFLD_CARRAY, 650);
	assert_field("EX_NETRCODE", BFLD_LONG, 751);
	assert_field("TA_OPERATION", BFLD_STRING, 2000);
	assert_field("TA_ERROR", BFLD_LONG, 2003);
	assert_field("TA_EX_CONMODE", BFLD_CHAR, 2040);
}

/* A long among the attributes that are read as text would be garbage. */
static void attributes_of_the_classes_have_their_types(void **state)
{
	static const char *const longs[] = {
		"TA_PID", "TA_CURCONV", "TA_CONTEXTID", "TA_CURTIME",
		"TA_CURQUEUES", "TA_CURSERVERS", "TA_CURSERVICES",
		"TA_CURACCESSERS", "TA_NQUEUED", "TA_RQID", "TA_SRVID",
		"TA_TIMERESTART", "TA_GENERATION", "TA_NCOMPLETED",
		"TA_TOTSUCCNUM", "TA_TOTSFAILNUM", "TA_LASTEXECTIMEUSEC",
		"TA_MAXEXECTIMEUSEC", "TA_MINEXECTIMEUSEC", "TA_EX_NODEID",
		"TA_FLAGS", "TA_NUMREQ", "TA_NUMPOST", "TA_NUMTRAN",
		"TA_NUMTRANABT", "TA_NUMTRANCMT", "TA_NUMENQUEUE",
		"TA_NUMDEQUEUE", "TA_GRPNO",
	};
	static const char *const strings[] = {
		"TA_CLASS", "TA_CURSOR", "TA_LMID", "TA_CLIENTID",
		"TA_CLTNAME", "TA_STATE", "TA_DOMAINID", "TA_RQADDR",
		"TA_SERVERNAME", "TA_CLOPT", "TA_SERVICENAME", "TA_SRVGRP",
		"TA_SVCRNAM", "TA_CURLMID", "TA_USRNAME",
	};
	size_t i;

	for (i = 0; i < sizeof(longs) / sizeof(*longs); i++)
		assert_int_equal(Bfldtype(ow_fldtbl_id(table, longs[i])),
				 BFLD_LONG);
	for (i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		assert_int_equal(Bfldtype(ow_fldtbl_id(table, strings[i])),
				 BFLD_STRING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_id_is_there_twice),
		cmocka_unit_test(ids_are_those_that_are_documented),
		cmocka_unit_test(attributes_of_the_classes_have_their_types),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
