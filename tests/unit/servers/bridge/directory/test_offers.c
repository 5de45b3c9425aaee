/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_offers.c - what other nodes offer is advertised, whatever changes
 * meanwhile
 *
 * A bridge without a domain. Its main thread shows offers; in the middle of
 * that, what the clock thread would do happens.
 */
#include "tests/unit/servers/bridge/bridge_fixture.h"

#include <sys/eventfd.h>
#include <unistd.h>
#include <xatmi.h>

#include "servers/bridge/directory/interest.h"

#define MANY 600u /* more than one bridge advertises */

static struct ow_bridge bridge;
static struct ow_br_names advertised;
static uint32_t unmarked;	   /* names taken away since marks were set */
static void (*meanwhile)(void); /* once, at the next change of a service */

static void happen(void)
{
	void (*f)(void) = meanwhile;

	meanwhile = NULL;
	if (f != NULL)
		f();
}

int __wrap_tpadvertise_full(char *svc, void (*f)(TPSVCINFO *), char *fn);
int __wrap_ow_advertise_own(const char *svc, void (*f)(TPSVCINFO *));
int __wrap_tpunadvertise(char *svc);
int __wrap_ow_br_overflow_mark(struct ow_bridge *b,
			     const struct ow_br_names *names, uint32_t rank);
void __wrap_ow_br_interest_show(struct ow_bridge *b);

int __wrap_tpadvertise_full(char *svc, void (*f)(TPSVCINFO *), char *fn)
{
	happen();
	assert_int_equal(ow_br_names_add(&advertised, svc), 0);
	ow_br_names_order(&advertised);
	return 0;
}

int __wrap_ow_advertise_own(const char *svc, void (*f)(TPSVCINFO *))
{
	return 0;
}

int __wrap_tpunadvertise(char *svc)
{
	long at = ow_br_names_find(&advertised, svc);

	happen();
	assert_true(at >= 0);
	memmove(advertised.name[at], advertised.name[at + 1],
		(advertised.n - (uint32_t)at - 1) * OW_BR_NAME);
	advertised.n--;
	unmarked++;
	return 0;
}

int __wrap_ow_br_overflow_mark(struct ow_bridge *b,
			     const struct ow_br_names *names, uint32_t rank)
{
	unmarked = 0;
	return 0;
}

void __wrap_ow_br_interest_show(struct ow_bridge *b)
{
}

/* As the loop does: is there something to show? */
static bool show_next(void)
{
	uint64_t n;

	if (read(bridge.dir.changed_fd, &n, sizeof(n)) != sizeof(n))
		return false;
	assert_int_equal(ow_br_offers_show(&bridge.dir), 0);
	return true;
}

static void show_all(void)
{
	while (show_next())
		;
}

/* Node 2 offers `n` services now. */
static void offer(uint32_t n)
{
	struct ow_br_peer *p = bridge.peers.peer[0];
	char name[OW_BR_NAME];
	uint32_t i;

	ow_br_names_clear(&p->offers);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "N%03u", i);
		assert_int_equal(ow_br_names_add(&p->offers, name), 0);
	}
	ow_br_offers_changed(&bridge.dir);
	ow_br_offers_settle(&bridge.dir);
}

static int set_up(void **state)
{
	bridge_begin(&bridge, 1);
	bridge.dir.changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bridge.dir.bridges = 1;
	assert_non_null(ow_br_peer_need(&bridge.peers, 2, 90));
	bridge.peers.peer[0]->up = true;
	unmarked = 0;
	meanwhile = NULL;
	return 0;
}

static int tear_down(void **state)
{
	bridge_end(&bridge);
	ow_br_names_free(&advertised);
	close(bridge.dir.changed_fd);
	return 0;
}

static void offers_come_and_go(void **state)
{
	offer(2);
	show_all();
	assert_int_equal(advertised.n, 2);
	offer(1);
	show_all();
	assert_int_equal(advertised.n, 1);
	assert_string_equal(advertised.name[0], "N000");
	assert_false(show_next());
}

static void offer_none(void)
{
	offer(0);
}

static void what_goes_while_it_is_shown_is_taken_away(void **state)
{
	offer(1);
	meanwhile = offer_none;
	show_all();
	assert_int_equal(advertised.n, 0);
}

static void offer_one(void)
{
	offer(1);
}

static void what_comes_again_while_it_is_taken_away_is_there_again(void **state)
{
	offer(1);
	show_all();
	offer(0);
	meanwhile = offer_one;
	show_all();
	assert_int_equal(advertised.n, 1);
}

static void another_bridge_starts(void)
{
	bridge.dir.bridges = 2;
	bridge.dir.rank = 1;
	ow_br_offers_changed(&bridge.dir);
	ow_br_offers_settle(&bridge.dir);
}

static void what_is_left_to_another_bridge_meanwhile_gets_its_mark(void **state)
{
	offer(MANY);
	meanwhile = another_bridge_starts;
	show_all();
	assert_true(ow_br_names_has(&advertised, "N001"));
	assert_false(ow_br_names_has(&advertised, "N000"));
	assert_int_equal(unmarked, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(offers_come_and_go),
		T(what_goes_while_it_is_shown_is_taken_away),
		T(what_comes_again_while_it_is_taken_away_is_there_again),
		T(what_is_left_to_another_bridge_meanwhile_gets_its_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
