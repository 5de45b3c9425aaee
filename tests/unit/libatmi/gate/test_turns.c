/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "libatmi/gate/turns.h"

#define GUESSER 7u
#define HONEST	8u
#define GUESSES 6

static atomic_int waiting, n_order;
static uint32_t order[GUESSES + 1];

static void *hash_one(void *arg)
{
	uint32_t uid = *(const uint32_t *)arg;

	atomic_fetch_add(&waiting, 1);
	ow_turns_take(uid);
	order[atomic_fetch_add(&n_order, 1)] = uid;
	ow_turns_end();
	return NULL;
}

static void wait_for_waiting(int n)
{
	while (atomic_load(&waiting) < n)
		usleep(1000);
	usleep(20000); /* it is in ow_turns_take(), or comes later */
}

static void an_honest_login_is_before_all_guesses_that_wait(void **state)
{
	static const uint32_t guesser = GUESSER, honest = HONEST;
	pthread_t t[GUESSES + 1];
	int i;

	ow_turns_suspect(GUESSER);
	ow_turns_take(1); /* a hash is under way */
	for (i = 0; i < GUESSES; i++)
		pthread_create(&t[i], NULL, hash_one, (void *)&guesser);
	wait_for_waiting(GUESSES);
	pthread_create(&t[i], NULL, hash_one, (void *)&honest);
	wait_for_waiting(GUESSES + 1);
	ow_turns_end();
	for (i = 0; i <= GUESSES; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(order[0], HONEST);
	assert_int_equal(atomic_load(&n_order), GUESSES + 1);
}

static void only_who_was_wrong_is_suspect(void **state)
{
	uint32_t uid;

	assert_false(ow_turns_is_suspect(1000));
	for (uid = 1000; uid < 1200; uid++)
		ow_turns_suspect(uid);
	for (uid = 1000; uid < 1200; uid++)
		assert_true(ow_turns_is_suspect(uid));
	assert_false(ow_turns_is_suspect(1200));
	assert_false(ow_turns_is_suspect(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    an_honest_login_is_before_all_guesses_that_wait),
		cmocka_unit_test(only_who_was_wrong_is_suspect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
