/* SPDX-License-Identifier: Apache-2.0 */
/* test_rules.c - rules: written, put in force, read, decided */
#include "tests/unit/libatmi/domain_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "libatmi/door/door.h"

static void put(uint32_t guards, const char *text)
{
	assert_int_equal(ow_rules_publish(dom, guards, text, strlen(text)),
			 0);
}

static bool is_file(uint32_t guards)
{
	char kind[32], path[160];
	struct stat st;

	snprintf(kind, sizeof(kind), "rules,%u", guards >> OW_GUARD_EPOCH);
	ow_domain_shm_path(dom, kind, path, sizeof(path));
	return stat(path, &st) == 0;
}

static struct ow_caller caller(uint32_t uid, uint32_t gid, const char *login)
{
	struct ow_caller c = { .uid = uid, .gid = gid };

	snprintf(c.login, sizeof(c.login), "%s", login);
	return c;
}

static void without_rules_everybody_may(void **state)
{
	struct ow_door door = { 0 };
	struct ow_caller c = caller(1, 1, "");

	put(0, "");
	assert_int_equal(ow_rules_guards(dom), 0);
	assert_int_equal(ow_door_read(&door, dom), 0);
	assert_null(door.rules);
	assert_true(ow_door_authorizes(&door, OW_RULE_CALL, "PAY", &c));
	assert_false(ow_door_is_stranger(&door, &c));
}

static void what_is_written_is_what_is_read(void **state)
{
	struct ow_rules_security s = { 1, "/a b/c", "LETIN" };
	struct ow_who who[] = { { .kind = OW_WHO_USER, .id = 7 },
				{ .kind = OW_WHO_GROUP, .id = 8 },
				{ .kind = OW_WHO_LOGIN, .login = "an na" },
				{ .kind = OW_WHO_ANY } };
	struct ow_rules *rules = NULL;
	char *text = NULL;
	size_t i, size = 0;
	uint32_t guards = 0;
	FILE *out = open_memstream(&text, &size);

	ow_rules_put_security(out, &s);
	ow_rules_put_rule(out, OW_RULE_CALL, "PAY");
	for (i = 0; i < 4; i++)
		ow_rules_put_who(out, &who[i]);
	ow_rules_put_rule(out, OW_RULE_POST, "^X.*$");
	fclose(out);
	put(1 | OW_GUARD_SERVICES | OW_GUARD_EVENTS, text);
	free(text);
	assert_int_equal(ow_rules_load(dom, &guards, &rules), 0);
	assert_int_equal(guards, ow_rules_guards(dom));
	assert_int_equal(ow_rules_security(rules)->auth, 1);
	assert_string_equal(ow_rules_security(rules)->passwords, "/a b/c");
	assert_string_equal(ow_rules_security(rules)->authsvc, "LETIN");
	assert_int_equal(ow_rules_at(rules, 0)->n_who, 4);
	for (i = 0; i < 4; i++)
		assert_memory_equal(&ow_rules_at(rules, 0)->who[i], &who[i],
				    sizeof(who[i]));
	assert_int_equal(ow_rules_at(rules, 1)->n_who, 0);
	assert_null(ow_rules_at(rules, 2));
	ow_rules_free(rules);
}

static void each_word_lets_in_those_whom_it_names(void **state)
{
	struct ow_door door = { 0 };
	struct ow_caller user = caller(7, 1, ""), group = caller(9, 8, ""),
			 member = caller(9, 1, ""), login = caller(9, 1, "an"),
			 other = caller(9, 9, "a"), root = caller(0, 0, "");

	member.n_groups = 2;
	member.groups[1] = 8;
	put(OW_GUARD_SERVICES, "security\t0\t\t\nrule\tcall\tPAY\nuser\t7\n"
			       "group\t8\nlogin\tan\nrule\tcall\tNONE\n"
			       "rule\tcall\tALL\nany\t0\n");
	assert_int_equal(ow_door_read(&door, dom), 0);
	assert_true(ow_door_authorizes(&door, OW_RULE_CALL, "PAY", &user));
	assert_true(ow_door_authorizes(&door, OW_RULE_CALL, "PAY", &group));
	assert_true(ow_door_authorizes(&door, OW_RULE_CALL, "PAY", &member));
	assert_true(ow_door_authorizes(&door, OW_RULE_CALL, "PAY", &login));
	assert_false(ow_door_authorizes(&door, OW_RULE_CALL, "PAY", &other));
	assert_false(ow_door_authorizes(&door, OW_RULE_CALL, "PAY", &root));
	assert_false(ow_door_authorizes(&door, OW_RULE_CALL, "NONE", &user));
	assert_true(ow_door_authorizes(&door, OW_RULE_CALL, "ALL", &other));
	assert_true(ow_door_authorizes(&door, OW_RULE_CALL, "PAYS", &other));
	assert_true(ow_door_authorizes(&door, OW_RULE_POST, "PAY", &other));
	ow_door_close(&door);
}

static void of_rules_about_events_the_first_one_that_matches_counts(void **state)
{
	struct ow_door door = { 0 };
	struct ow_caller a = caller(1, 1, "a"), b = caller(1, 1, "b");

	put(OW_GUARD_EVENTS, "security\t0\t\t\nrule\tpost\t^NEWS$\nlogin\ta\n"
			     "rule\tpost\tNEWS\nlogin\tb\n");
	assert_int_equal(ow_door_read(&door, dom), 0);
	assert_true(ow_door_authorizes(&door, OW_RULE_POST, "NEWS", &a));
	assert_false(ow_door_authorizes(&door, OW_RULE_POST, "NEWS", &b));
	assert_false(ow_door_authorizes(&door, OW_RULE_POST, "NEWSX", &a));
	assert_true(ow_door_authorizes(&door, OW_RULE_POST, "NEWSX", &b));
	assert_true(ow_door_authorizes(&door, OW_RULE_POST, "OTHER", &a));
	assert_true(ow_door_authorizes(&door, OW_RULE_SUBSCRIBE, "NEWS", &b));
	ow_door_close(&door);
}

static void new_rules_are_seen_and_the_former_file_goes(void **state)
{
	struct ow_door door = { 0 };
	uint32_t first, second;

	put(OW_GUARD_SERVICES, "security\t0\t\t\nrule\tcall\tA\n");
	first = ow_rules_guards(dom);
	assert_int_equal(ow_door_read(&door, dom), 0);
	put(2, "security\t2\t\tX\n");
	second = ow_rules_guards(dom);
	assert_int_not_equal(first, second);
	assert_false(is_file(first));
	assert_true(is_file(second));
	assert_int_equal(ow_door_read(&door, dom), 0);
	assert_int_equal(door.guards, second);
	assert_null(ow_rules_at(door.rules, 0));
	put(0, "");
	assert_false(is_file(second));
	assert_int_equal(ow_door_read(&door, dom), 0);
	assert_null(door.rules);
}

static void lost_or_damaged_rules_let_nobody_in(void **state)
{
	static const char *const bad[] = {
		"", "rule\tcall\tA\n", "security\t1\n", "security\t1\t\n",
		"security\t0\t\t\nuser\t1\n", "security\t0\t\t\nrule\tX\tA\n",
		"security\t0\t\t\nrule\tpost\t(\n", "nonsense\n",
		"security\t0\t\t\nsecurity\t0\t\t\n",
		"security\t0\t\t\nrule\tcall\tA\nuser\n",
	};
	struct ow_door door = { 0 };
	char kind[32], path[160];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put(OW_GUARD_SERVICES, bad[i]);
		assert_int_equal(ow_door_read(&door, dom), -EBADMSG);
	}
	put(OW_GUARD_SERVICES, "security\t0\t\t\n");
	snprintf(kind, sizeof(kind), "rules,%u",
		 ow_rules_guards(dom) >> OW_GUARD_EPOCH);
	ow_domain_shm_path(dom, kind, path, sizeof(path));
	unlink(path);
	assert_int_equal(ow_door_read(&door, dom), -EIO);
	put(0, "");
	assert_int_equal(ow_door_read(&door, dom), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_rules_everybody_may),
		cmocka_unit_test(what_is_written_is_what_is_read),
		cmocka_unit_test(each_word_lets_in_those_whom_it_names),
		cmocka_unit_test(
			of_rules_about_events_the_first_one_that_matches_counts),
		cmocka_unit_test(new_rules_are_seen_and_the_former_file_goes),
		cmocka_unit_test(lost_or_damaged_rules_let_nobody_in),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
