/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_advertisement.c - many services are told to another bridge, in parts
 *
 * Two bridges without processes; what the first says goes to the second, and
 * may be lost, or come later.
 */
#include "tests/unit/servers/bridge/bridge_fixture.h"

#define MANY 100000u

static struct ow_bridge bridge[2];
static size_t allowed;
static int whole, parts, asked; /* messages, by kind */
static int lose;		/* the part with this number, from 1 */
static bool twice;		/* each part comes twice */

static struct ow_br_frame frame_of(const void *data)
{
	struct ow_br_frame f;

	memcpy(&f, (const char *)data + sizeof(struct ow_br_batch), sizeof(f));
	return f;
}

static int carry(void *arg, const char *subject, const char *reply,
		 const void *data, size_t len)
{
	struct ow_bridge *to = arg;
	struct ow_br_frame f = frame_of(data);

	(void)reply;
	assert_true(len <= allowed);
	whole += f.kind == OW_BR_ADVERT;
	parts += f.kind == OW_BR_ADVERT_PART;
	asked += f.kind == OW_BR_ASK;
	if (f.kind != OW_BR_ADVERT_PART || parts != lose)
		ow_br_message(&to->peers, subject, data, len);
	if (f.kind == OW_BR_ADVERT_PART && twice)
		ow_br_message(&to->peers, subject, data, len);
	return 0;
}

static size_t largest(void *arg)
{
	(void)arg;
	return allowed;
}

static void fill(struct ow_br_names *s, uint32_t from, uint32_t to)
{
	char name[OW_BR_NAME];

	for (; from < to; from++) {
		snprintf(name, sizeof(name), "S%07u", from);
		assert_int_equal(ow_br_names_add(s, name), 0);
	}
}

static int set_up(void **state)
{
	int i;

	whole = parts = asked = lose = 0;
	twice = false;
	allowed = (size_t)1 << 20;
	for (i = 0; i < 2; i++) {
		bridge_begin(&bridge[i], (uint32_t)i + 1);
		bridge[i].peers.carrier = (struct ow_br_carrier){ &bridge[1 - i],
							    carry, largest };
		bridge[i].dir.gen = 1;
		bridge[i].peers.connected = true;
	}
	return 0;
}

static int tear_down(void **state)
{
	bridge_end(&bridge[0]);
	bridge_end(&bridge[1]);
	return 0;
}

/* Bridge 0 offers `n` services, and both meet. */
static void join(uint32_t n)
{
	fill(&bridge[0].dir.own, 0, n);
	ow_br_up(&bridge[0].peers);
	ow_br_up(&bridge[1].peers);
}

static struct ow_br_peer *heard(void)
{
	assert_int_equal(bridge[1].peers.npeers, 1);
	return bridge[1].peers.peer[0];
}

/* Bridge 1 knows exactly what bridge 0 offers. */
static void knows_all(void)
{
	assert_true(heard()->gen == bridge[0].dir.gen);
	assert_true(ow_br_names_same(&heard()->offers, &bridge[0].dir.own));
	assert_null(heard()->gathering.names.name);
}

/* The services from `from` to `to` are offered instead of the others. */
static void change(uint32_t from, uint32_t to)
{
	struct ow_br_names now = { 0 }, plus = { 0 }, minus = { 0 };
	struct ow_br_advert *n;
	size_t len = 0;

	fill(&now, from, to);
	assert_int_equal(ow_br_names_minus(&now, &bridge[0].dir.own, &plus), 0);
	assert_int_equal(ow_br_names_minus(&bridge[0].dir.own, &now, &minus), 0);
	n = ow_br_advert_make(++bridge[0].dir.gen, &plus, &minus, &len);
	ow_br_names_free(&bridge[0].dir.own);
	bridge[0].dir.own = now;
	ow_br_advert_tell(&bridge[0].dir, NULL, n, len);
	free(n);
	ow_br_names_free(&plus);
	ow_br_names_free(&minus);
}

static void few_services_go_in_one_message(void **state)
{
	join(30000);
	knows_all();
	assert_true(whole > 0);
	assert_int_equal(parts, 0);
}

static void many_services_go_in_parts(void **state)
{
	join(MANY);
	knows_all();
	assert_true(parts > 3);
}

static void the_server_says_how_large_a_part_may_be(void **state)
{
	allowed = OW_BR_LEAST;
	join(1000);
	knows_all();
	assert_in_range(parts, 8, 12);
}

static void changes_go_in_parts_too(void **state)
{
	join(MANY);
	parts = whole = 0;
	change(50000, MANY + 50000);
	knows_all();
	assert_true(parts > 3);
	assert_int_equal(whole, 0);
	change(50001, MANY + 50000); /* a small one */
	knows_all();
	assert_int_equal(whole, 1);
}

static void parts_count_when_they_are_whole(void **state)
{
	join(10);
	asked = 0;
	bridge[0].dir.gen = 7;
	fill(&bridge[0].dir.own, 10, MANY);
	lose = parts + (int)(MANY * OW_BR_NAME / bridge[0].peers.limit) + 1;
	ow_br_offers_tell(&bridge[0].dir, NULL); /* without its last part */
	assert_int_equal(heard()->offers.n, 10);
	assert_int_equal(asked, 0);
	ow_br_heartbeat(&bridge[0].peers, NULL, false, false); /* they have just come */
	assert_int_equal(asked, 0);
	assert_int_equal(heard()->offers.n, 10);
	ow_br_heartbeat(&bridge[0].peers, NULL, false, false);
	assert_int_equal(asked, 1);
	knows_all();
}

static void after_a_lost_part_all_is_told_again(void **state)
{
	join(10);
	bridge[0].dir.gen++;
	fill(&bridge[0].dir.own, 10, MANY);
	lose = parts + 3;
	asked = 0;
	ow_br_offers_tell(&bridge[0].dir, NULL);
	assert_int_equal(asked, 1);
	knows_all();
}

static void without_the_first_part_the_next_heartbeat_asks(void **state)
{
	join(10);
	bridge[0].dir.gen++;
	fill(&bridge[0].dir.own, 10, MANY);
	lose = parts + 1;
	asked = 0;
	ow_br_offers_tell(&bridge[0].dir, NULL);
	assert_int_equal(asked, 0);
	assert_int_equal(heard()->offers.n, 10);
	ow_br_heartbeat(&bridge[0].peers, NULL, false, false);
	knows_all();
}

static void parts_that_come_twice_count_once(void **state)
{
	twice = true;
	join(MANY);
	knows_all();
	change(0, MANY + 70000);
	knows_all();
}

static void what_is_known_is_not_gathered_again(void **state)
{
	join(MANY);
	ow_br_offers_tell(&bridge[0].dir, NULL);
	knows_all();
}

static void a_change_of_unknown_offers_asks_for_all(void **state)
{
	join(10);
	bridge[0].dir.gen++; /* bridge 1 has missed this one */
	asked = 0;
	change(0, MANY);
	assert_true(asked >= 1);
	knows_all();
}

#define FACT(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(few_services_go_in_one_message),
		FACT(many_services_go_in_parts),
		FACT(the_server_says_how_large_a_part_may_be),
		FACT(changes_go_in_parts_too),
		FACT(parts_count_when_they_are_whole),
		FACT(after_a_lost_part_all_is_told_again),
		FACT(without_the_first_part_the_next_heartbeat_asks),
		FACT(parts_that_come_twice_count_once),
		FACT(what_is_known_is_not_gathered_again),
		FACT(a_change_of_unknown_offers_asks_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
