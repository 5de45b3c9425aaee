/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "libatmi/base/masked.h"

static void expect(const char *text, const char *want)
{
	char *got = ow_masked(text);

	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

static void names_of_secrets(void **state)
{
	assert_true(ow_masked_name("NDRX_XA_OPEN_STR"));
	assert_true(ow_masked_name("DB_PASSWORD"));
	assert_true(ow_masked_name("pgpass"));
	assert_true(ow_masked_name("ApiKey"));
	assert_false(ow_masked_name("NDRX_XA_RES_ID"));
	assert_false(ow_masked_name("srvid"));
}

static void values_of_secret_names(void **state)
{
	expect("a PASSWORD=x b=c", "a PASSWORD=*** b=c");
	expect("-p 7 --db-password hunter2 --port 3",
	       "-p 7 --db-password *** --port 3");
	expect("NDRX_XA_OPEN_STR=\"a b c\" x=y",
	       "NDRX_XA_OPEN_STR=\"***\" x=y");
	expect("{\"text\":\"-e TOKEN='a b' z\"}",
	       "{\"text\":\"-e TOKEN='***' z\"}");
	expect("{\"v\":\"PWD=\\\"a b\\\" z\"}", "{\"v\":\"PWD=\\\"***\\\" z\"}");
	expect("<env name=\"MY_SECRET\">a b</env>",
	       "<env name=\"MY_SECRET\">***</env>");
	expect("host=h user=u password=p dbname=d",
	       "host=h user=u password=*** dbname=d");
	expect("<env name='MY_SECRET' >a\n b</env>\n<env name='X'>a</env>",
	       "<env name='MY_SECRET' >***</env>\n<env name='X'>a</env>");
	expect("<env name=\"MY_SECRET\" x=\"y\">a</env>",
	       "<env name=\"MY_SECRET\" x=\"y\">***</env>");
	expect("<env name=\"MY_SECRET\"\n\tx='y'\n>a</env>",
	       "<env name=\"MY_SECRET\"\n\tx='y'\n>***</env>");
	expect("<env name=\"MY_SECRET\">a<![CDATA[b<c]]>d<!-- e<f -->g</env>",
	       "<env name=\"MY_SECRET\">***</env>");
	expect("<env name=\"MY_SECRET\"><![CDATA[a</env>",
	       "<env name=\"MY_SECRET\">***");
	expect("DB_PASSWORD = hunter2\nPORT = 3\nPWD\t=\t'a b'\n",
	       "DB_PASSWORD = ***\nPORT = 3\nPWD\t=\t'***'\n");
	expect("PASSWORD =\nPORT=3", "PASSWORD =\nPORT=3");
	expect("DB_PASSWORD=ab,cd ef<\nPORT=3", "DB_PASSWORD=***\nPORT=3");
	expect(" ;export TOKEN=a b\n\texport  PWD=a;b\n",
	       " ;export TOKEN=***\n\texport  PWD=***\n");
	expect("export x PWD=a b\nexports PWD=a b",
	       "export x PWD=*** b\nexports PWD=*** b");
	expect("if (pwd == NULL)", "if (pwd == NULL)");
	expect("<env name=\"MY_SECRET\"/>\n<x>y</x>",
	       "<env name=\"MY_SECRET\"/>\n<x>y</x>");
	expect("no field \"PASSENGER\" -> x", "no field \"PASSENGER\" -> x");
	expect("secret=", "secret=");
	expect("secret=\"unclosed x", "secret=\"***");
}

static void urls_and_open_strings(void **state)
{
	expect("nats://anna:geheim@host:4222,nats://b:4222",
	       "nats://anna:***@host:4222,nats://b:4222");
	expect("postgresql://u:p%40@h/db", "postgresql://u:***@h/db");
	expect("Oracle_XA+Acc=P/scott/tiger+SesTm=30",
	       "Oracle_XA+Acc=P/***+SesTm=30");
	expect("http://host:80/a@b", "http://host:80/a@b");
}

static void other_text_stays(void **state)
{
	expect("", "");
	expect("banksv -i 7 -e /log/x -- a=b", "banksv -i 7 -e /log/x -- a=b");
	expect("the password is kept elsewhere",
	       "the password is kept elsewhere");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_secrets),
		cmocka_unit_test(values_of_secret_names),
		cmocka_unit_test(urls_and_open_strings),
		cmocka_unit_test(other_text_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
