/* SPDX-License-Identifier: Apache-2.0 */
/* test_tpconvert.c - ids of clients and transactions as text, and back */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <xatmi.h>
#include <xa.h>

static char text[TPCONVMAXSTR];

static void refused(char *str, void *bin, long flags)
{
	assert_int_equal(tpconvert(str, bin, flags), -1);
	assert_int_equal(tperrno, TPEINVAL);
}

static void a_client_id_is_its_text(void **state)
{
	CLIENTID id = { "clt,bankcl,17,1,1" }, back;

	assert_int_equal(tpconvert(text, (char *)&id,
				   TPTOSTRING | TPCONVCLTID), 0);
	assert_string_equal(text, "clt,bankcl,17,1,1");
	assert_int_equal(tpconvert(text, (char *)&back, TPCONVCLTID), 0);
	assert_memory_equal(&id, &back, sizeof(id));
	strcpy(text, "srv,banksv,3,17,1,1");
	assert_int_equal(tpconvert(text, (char *)&back, TPCONVCLTID), 0);
	assert_string_equal(back.clientdata, text);
}

static void other_text_is_no_client_id(void **state)
{
	CLIENTID id;

	refused("", &id, TPCONVCLTID);
	refused("clt,a,1,1", &id, TPCONVCLTID);
	refused("srv,a,1,1,1", &id, TPCONVCLTID);
	refused("xyz,a,1,1,1", &id, TPCONVCLTID);
	refused("clt,a\n,1,1,1", &id, TPCONVCLTID);
	memset(&id, 'x', sizeof(id));
	refused(text, &id, TPTOSTRING | TPCONVCLTID);
	memset(text, 'x', sizeof(text) - 1);
	refused(text, &id, TPCONVCLTID);
}

static void a_transaction_id_survives_as_text(void **state)
{
	TPTRANID t = { .tmtxflags = 3, .tmrmid = -1, .tmnodeid = 2,
		       .tmsrvid = 301, .is_tx_initiator = 1 }, back, empty = { 0 };

	strcpy(t.tmxid, "AAECAwQFBgcICQ==");
	strcpy(t.tmknownrms, "\001\002\377");
	assert_int_equal(tpconvert(text, (char *)&t,
				   TPTOSTRING | TPCONVTRANID), 0);
	assert_string_equal(text, "tran,3,-1,2,301,1,0102ff,AAECAwQFBgcICQ==");
	assert_int_equal(tpconvert(text, (char *)&back, TPCONVTRANID), 0);
	assert_string_equal(back.tmxid, t.tmxid);
	assert_string_equal(back.tmknownrms, t.tmknownrms);
	assert_int_equal(back.tmsrvid, 301);
	assert_int_equal(back.is_tx_initiator, 1);
	assert_int_equal(tpconvert(text, (char *)&empty,
				   TPTOSTRING | TPCONVTRANID), 0);
	assert_int_equal(tpconvert(text, (char *)&back, TPCONVTRANID), 0);
	assert_string_equal(back.tmxid, "");
}

static void other_text_is_no_transaction_id(void **state)
{
	TPTRANID t;

	refused("", &t, TPCONVTRANID);
	refused("tran,1,2,3", &t, TPCONVTRANID);
	refused("tran,1,2,3,4,5,0102,", &t, TPCONVTRANID);
	refused("tran,1,2,3,4,5,0z,x", &t, TPCONVTRANID);
	refused("tran,1,2,3,4,5,-,x,y", &t, TPCONVTRANID);
	refused("tran,1,2,3,4,5,-,123456789012345678901234567890123456789012"
		"345678901234567890", &t, TPCONVTRANID);
	memset(&t, 'x', sizeof(t));
	refused(text, &t, TPTOSTRING | TPCONVTRANID);
}

static void an_xid_survives_as_text(void **state)
{
	XID x = { .formatID = 0x4f57, .gtrid_length = 64, .bqual_length = 64 };
	XID back, null = { .formatID = NULLXID };
	int i;

	for (i = 0; i < 128; i++)
		x.data[i] = (char)(i * 7);
	assert_int_equal(tpconvert(text, (char *)&x, TPTOSTRING | TPCONVXID),
			 0);
	assert_int_equal(tpconvert(text, (char *)&back, TPCONVXID), 0);
	assert_memory_equal(&x, &back, sizeof(x));
	assert_int_equal(tpconvert(text, (char *)&null,
				   TPTOSTRING | TPCONVXID), 0);
	assert_string_equal(text, "xid,-1,-,-");
	assert_int_equal(tpconvert(text, (char *)&back, TPCONVXID), 0);
	assert_int_equal(back.formatID, NULLXID);
}

static void other_text_is_no_xid(void **state)
{
	XID x = { .gtrid_length = 65 };

	refused(text, &x, TPTOSTRING | TPCONVXID);
	refused("xid,1,abc,-", &x, TPCONVXID);
	refused("xid,1,ab", &x, TPCONVXID);
	refused("xid,1,ab,cd,", &x, TPCONVXID);
	refused("1,ab,cd", &x, TPCONVXID);
}

static void one_kind_must_be_named(void **state)
{
	CLIENTID id = { "clt,a,1,1,1" };

	refused(NULL, &id, TPCONVCLTID);
	refused(text, NULL, TPCONVCLTID);
	refused(text, &id, TPTOSTRING);
	refused(text, &id, TPTOSTRING | TPCONVCLTID | TPCONVXID);
	refused(text, &id, TPTOSTRING | TPCONVCLTID | 0x1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_client_id_is_its_text),
		cmocka_unit_test(other_text_is_no_client_id),
		cmocka_unit_test(a_transaction_id_survives_as_text),
		cmocka_unit_test(other_text_is_no_transaction_id),
		cmocka_unit_test(an_xid_survives_as_text),
		cmocka_unit_test(other_text_is_no_xid),
		cmocka_unit_test(one_kind_must_be_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
