/* SPDX-License-Identifier: Apache-2.0 */
/* test_session.c - who is logged in does not shut others out */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>

#include "clients/ndrxweb/session.h"
#include "libatmi/door/passwords.h"
#include "libubf/base/crc32.h"

#define PLACES 64

static time_t now = 1000;

/* The clock of the sessions: two tries a second are looked at. */
int clock_gettime(clockid_t id, struct timespec *ret)
{
	(void)id;
	*ret = (struct timespec){ .tv_sec = now };
	return 0;
}

int ow_passwords_each(const char *path, void (*fn)(const char *name, void *arg),
		      void *arg)
{
	(void)path;
	fn("look/anna", arg);
	fn("admin/adam", arg);
	fn("admin/eva", arg);
	return 0;
}

int ow_passwords_check(const char *path, const char *name, const char *password)
{
	(void)path;
	(void)name;
	(void)password;
	return 0;
}

uint32_t ow_crc32(const void *data, size_t n)
{
	(void)data;
	return (uint32_t)n;
}

static int try(struct ow_sessions *s, const char *user, struct ow_session **ret)
{
	now++;
	return ow_session_login(s, "127.0.0.1", user, "x", ret);
}

static void one_user_does_not_take_the_places_of_others(void **state)
{
	struct ow_sessions *s = ow_sessions_new("/nonexistent");
	struct ow_session *adam, *first, *v;
	char token[65];
	int i;

	(void)state;
	assert_int_equal(try(s, "adam", &adam), 0);
	assert_int_equal(try(s, "anna", &first), 0);
	snprintf(token, sizeof(token), "%s", first->token);
	for (i = 2; i < PLACES; i++)
		assert_int_equal(try(s, "anna", &v), 0);
	assert_non_null(ow_session_find(s, token));
	assert_int_equal(try(s, "eva", &v), 0);
	assert_string_equal(v->user, "eva");
	assert_null(ow_session_find(s, token)); /* anna's oldest */
	for (i = 0; i < PLACES; i++)
		assert_int_equal(try(s, "anna", &v), 0);
	assert_ptr_equal(ow_session_find(s, adam->token), adam);
	ow_sessions_free(s);
}

/* A stream has its session: the place is free when it has ended. */
static void streams_do_not_keep_the_places_either(void **state)
{
	struct ow_sessions *s = ow_sessions_new("/nonexistent");
	struct ow_session *all[PLACES], *v;
	int i;

	(void)state;
	for (i = 0; i < PLACES; i++) {
		assert_int_equal(try(s, "anna", &all[i]), 0);
		all[i]->streams = 1;
	}
	assert_int_equal(try(s, "adam", &v), OW_LOGIN_CROWD);
	assert_string_equal(all[0]->token, "");
	all[0]->streams = 0; /* it finds that its session has ended */
	assert_int_equal(try(s, "adam", &v), 0);
	ow_sessions_free(s);
}

static void who_guesses_is_not_in_the_way_of_others(void **state)
{
	static const char guesser[] = "user 66", other[] = "user 7";
	struct ow_sessions *s = ow_sessions_new("/nonexistent");
	struct ow_session *v;

	(void)state;
	now++;
	assert_int_equal(ow_session_login(s, guesser, "eva", "x", &v), 0);
	assert_int_equal(ow_session_login(s, guesser, "eva", "x", &v),
			 OW_LOGIN_LATER);
	now++;
	assert_int_equal(ow_session_login(s, guesser, "eva", "x", &v), 0);
	assert_int_equal(ow_session_login(s, guesser, "eva", "x", &v),
			 OW_LOGIN_LATER);
	assert_int_equal(ow_session_login(s, other, "anna", "x", &v), 0);
	assert_int_equal(ow_session_login(s, other, "anna", "x", &v),
			 OW_LOGIN_LATER);
	ow_sessions_free(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_user_does_not_take_the_places_of_others),
		cmocka_unit_test(streams_do_not_keep_the_places_either),
		cmocka_unit_test(who_guesses_is_not_in_the_way_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
