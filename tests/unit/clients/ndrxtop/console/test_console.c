/* SPDX-License-Identifier: Apache-2.0 */
/* test_console.c - what the keys do, without a terminal */
#include "tests/unit/libatmi/domain_fixture.h"

#include <string.h>
#include <unistd.h>

#include "clients/ndrxtop/console/console.h"

static struct ow_console c;

static void offer(uint32_t srvid, const char *svc)
{
	struct ow_adv *a = &ow_tables_adv(dom->tables, srvid)[0];

	assert_int_equal(ow_tables_lock(dom->tables), 0);
	dom->tables->srv[srvid].nadv = 1;
	atomic_store(&a->svc, (uint32_t)ow_svc_name(dom->tables, svc) + 1);
	atomic_store(&dom->tables->svc[a->svc - 1].nsrv, 1);
	ow_tables_unlock(dom->tables);
}

/* Three servers, of this process: A offers on 1, B on 2 and 3. */
static void populate(void)
{
	uint32_t id;

	for (id = 1; id <= 3; id++) {
		assert_int_equal(ow_srv_take(dom->tables, id, "banksv"), 0);
		offer(id, id == 1 ? "AAA" : "BBB");
	}
}

static int fresh(void **state)
{
	char why[256];

	if (ow_console_open(&c, why, sizeof(why)) != 0 ||
	    ow_console_look(&c) != 0)
		return -1;
	ow_console_fill(&c);
	return 0;
}

static int tidy(void **state)
{
	ow_console_close(&c);
	return 0;
}

static const struct ow_grid *grid(void)
{
	return &c.grid[c.now];
}

static void type(const char *text)
{
	for (; *text != '\0'; text++)
		ow_console_type(&c, *text);
}

static void numbers_and_tab_change_the_screen(void **state)
{
	int i;

	ow_console_act(&c, OW_ACT_SERVERS);
	assert_int_equal(c.now, OW_SCREEN_SERVERS);
	assert_int_equal(grid()->n, 3);
	for (i = 0; i < OW_SCREEN_OFFERS; i++)
		ow_console_act(&c, OW_ACT_NEXT);
	assert_int_equal(c.now, OW_SCREEN_SERVERS);
	ow_console_act(&c, OW_ACT_PREVIOUS);
	assert_int_equal(c.now, OW_SCREEN_SERVICES);
}

static void enter_shows_details_and_escape_goes_back(void **state)
{
	char title[128];

	ow_grid_sort(&c.grid[OW_SCREEN_SERVICES], 0);
	ow_console_act(&c, OW_ACT_LAST);
	ow_console_act(&c, OW_ACT_ENTER);
	assert_int_equal(c.now, OW_SCREEN_OFFERS);
	assert_int_equal(grid()->n, 2); /* BBB on 2 and 3 */
	ow_console_title(&c, title, sizeof(title));
	assert_string_equal(title, "BBB, by server");
	ow_console_act(&c, OW_ACT_ENTER);
	assert_int_equal(grid()->n, 1); /* what that server offers */
	ow_console_title(&c, title, sizeof(title));
	assert_non_null(strstr(title, "services of server"));
	ow_console_act(&c, OW_ACT_BACK);
	assert_int_equal(grid()->n, 2);
	ow_console_act(&c, OW_ACT_BACK);
	assert_int_equal(c.now, OW_SCREEN_SERVICES);
	assert_int_equal(grid()->n, 2);
}

static void a_trail_longer_than_its_room_still_goes_back(void **state)
{
	int i;

	for (i = 0; i < 3 * OW_TRAIL; i++)
		ow_console_act(&c, OW_ACT_ENTER);
	for (i = 0; i < 3 * OW_TRAIL; i++)
		ow_console_act(&c, OW_ACT_BACK);
	assert_int_equal(c.depth, 0);
	ow_console_act(&c, OW_ACT_SERVICES);
	assert_int_equal(grid()->n, 2);
}

static void a_filter_is_kept_by_enter_and_forgotten_by_escape(void **state)
{
	ow_console_act(&c, OW_ACT_FILTER);
	assert_int_equal(c.mode, OW_MODE_FILTER);
	type("bb");
	assert_int_equal(grid()->n, 1);
	type("x");
	assert_int_equal(grid()->n, 0);
	type("\b");
	assert_int_equal(grid()->n, 1);
	type("\n");
	assert_int_equal(c.mode, OW_MODE_PLAIN);
	assert_string_equal(grid()->filter, "bb");
	ow_console_act(&c, OW_ACT_FILTER);
	type("zzz\033"); /* as it was */
	assert_string_equal(grid()->filter, "bb");
	ow_console_act(&c, OW_ACT_BACK);
	assert_string_equal(grid()->filter, "");
	assert_int_equal(grid()->n, 2);
}

static void a_very_long_filter_stays_within_its_room(void **state)
{
	int i;

	ow_console_act(&c, OW_ACT_FILTER);
	for (i = 0; i < 500; i++)
		type("q");
	assert_true(strlen(grid()->filter) < sizeof(grid()->filter));
}

static void a_frozen_screen_does_not_change(void **state)
{
	uint32_t looks = ow_model_overview(c.model)->looks;

	ow_console_act(&c, OW_ACT_FREEZE);
	assert_int_equal(ow_console_look(&c), 0);
	assert_int_equal(ow_model_overview(c.model)->looks, looks);
	ow_console_act(&c, OW_ACT_SERVERS); /* one can look around in it */
	assert_int_equal(grid()->n, 3);
	ow_console_act(&c, OW_ACT_FREEZE);
	assert_int_equal(ow_console_look(&c), 0);
	assert_int_equal(ow_model_overview(c.model)->looks, looks + 1);
}

static void nothing_is_stopped_without_a_yes(void **state)
{
	ow_console_act(&c, OW_ACT_STOP); /* a service is selected */
	assert_int_equal(c.mode, OW_MODE_PLAIN);
	assert_non_null(strstr(c.message, "select a server"));
	ow_console_act(&c, OW_ACT_SERVERS);
	ow_console_act(&c, OW_ACT_STOP);
	assert_int_equal(c.mode, OW_MODE_CONFIRM);
	assert_string_equal(c.ask_text, "Stop server 1, banksv?");
	ow_console_answer(&c, false);
	assert_int_equal(c.order.pid, 0);
	assert_int_equal(c.mode, OW_MODE_PLAIN);
}

static bool order_done(void)
{
	ow_console_order_input(&c);
	return c.order.pid == 0;
}

static void an_order_without_ndrxd_says_so(void **state)
{
	ow_console_act(&c, OW_ACT_SERVERS);
	ow_console_act(&c, OW_ACT_RESTART);
	ow_console_answer(&c, true);
	assert_true(c.order.pid != 0);
	ow_console_act(&c, OW_ACT_RESTART); /* one at a time */
	ow_console_answer(&c, true);
	assert_non_null(strstr(c.message, "another command"));
	WAIT_FOR(order_done());
	assert_true(c.order.failed);
	assert_int_equal(c.mode, OW_MODE_OUTPUT);
	assert_non_null(strstr(c.order.text, "ndrxd is not running"));
}

static void the_window_of_figures_can_be_changed(void **state)
{
	assert_string_equal(ow_console_window(&c), "2s");
	ow_console_act(&c, OW_ACT_WINDOW);
	ow_console_act(&c, OW_ACT_WINDOW);
	ow_console_act(&c, OW_ACT_WINDOW);
	assert_string_equal(ow_console_window(&c), "all");
	ow_console_act(&c, OW_ACT_WINDOW);
	assert_string_equal(ow_console_window(&c), "2s");
}

static void the_period_has_limits(void **state)
{
	int i;

	for (i = 0; i < 30; i++)
		ow_console_act(&c, OW_ACT_FASTER);
	assert_int_equal(c.period_ms, 100);
	for (i = 0; i < 30; i++)
		ow_console_act(&c, OW_ACT_SLOWER);
	assert_int_equal(c.period_ms, 60000);
}

/* Any key at any time: it lives, and q leaves. */
static void any_order_of_keys_is_harmless(void **state)
{
	unsigned int seed = 3;
	int i, a;

	for (i = 0; i < 20000; i++) {
		a = 1 + rand_r(&seed) % (OW_ACT_END - 1);
		if (a == OW_ACT_QUIT)
			continue;
		if (c.mode == OW_MODE_FILTER)
			ow_console_type(&c, rand_r(&seed) % 128);
		else if (c.mode == OW_MODE_CONFIRM)
			ow_console_answer(&c, false);
		else
			ow_console_act(&c, (enum ow_action)a);
		if (i % 500 == 0)
			assert_int_equal(ow_console_look(&c), 0);
		ow_console_fill(&c);
		ow_grid_scroll(&c.grid[c.now], 1 + (size_t)i % 30);
		assert_true(grid()->n == 0 || grid()->at < grid()->n);
	}
	c.mode = OW_MODE_PLAIN;
	ow_console_act(&c, OW_ACT_QUIT);
	assert_true(c.quit);
}

#define FACT(f) cmocka_unit_test_setup_teardown(f, fresh, tidy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(numbers_and_tab_change_the_screen),
		FACT(enter_shows_details_and_escape_goes_back),
		FACT(a_trail_longer_than_its_room_still_goes_back),
		FACT(a_filter_is_kept_by_enter_and_forgotten_by_escape),
		FACT(a_very_long_filter_stays_within_its_room),
		FACT(a_frozen_screen_does_not_change),
		FACT(nothing_is_stopped_without_a_yes),
		FACT(an_order_without_ndrxd_says_so),
		FACT(the_window_of_figures_can_be_changed),
		FACT(the_period_has_limits),
		FACT(any_order_of_keys_is_harmless),
	};

	dom_make();
	setenv("NDRX_APPHOME", scratch_dir, 1);
	populate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
