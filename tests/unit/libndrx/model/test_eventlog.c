/* SPDX-License-Identifier: Apache-2.0 */
/* test_eventlog.c - the ring of events as rows, newest first */
#include "tests/unit/libatmi/domain_fixture.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "libndrx/model/eventlog.h"
#include "libatmi/domain/events.h"

static struct ow_eventlog *l;
static struct ow_events *ring;
static char path[256];

static int fresh(void **state)
{
	l = ow_eventlog_new();
	ow_domain_shm_path(dom, "events", path, sizeof(path));
	return l == NULL || ow_events_open(path, true, &ring) != 0;
}

static int tidy(void **state)
{
	l = ow_eventlog_free(l);
	ring = ow_events_close(ring);
	unlink(path);
	return 0;
}

static void happens(uint32_t kind, uint32_t srvid, const char *text)
{
	struct ow_event e = { .kind = kind, .srvid = srvid, .pid = 5 };

	snprintf(e.who, sizeof(e.who), "banksv");
	snprintf(e.text, sizeof(e.text), "%s", text);
	ow_events_add(ring, &e);
}

static const struct ow_event_row *row(size_t i, size_t n)
{
	const struct ow_row *const *rows;

	assert_int_equal(ow_eventlog_rows(l, ow_clock_mono_ns(), &rows), n);
	return (const struct ow_event_row *)rows[i];
}

static void the_newest_comes_first_with_its_reason(void **state)
{
	happens(OW_EVENT_START, 3, "");
	happens(OW_EVENT_DIED, 3, "signal 11");
	ow_eventlog_look(l, dom, OW_NS_PER_SEC);
	assert_string_equal(row(0, 2)->what, "died");
	assert_string_equal(row(0, 2)->text, "signal 11");
	assert_int_equal(row(0, 2)->row.srvid, 3);
	assert_int_equal(row(0, 2)->row.grade,
			 ow_event_grade(OW_EVENT_DIED));
	assert_string_equal(row(1, 2)->what, "start");
	assert_true(row(1, 2)->age >= row(0, 2)->age);
	happens(OW_EVENT_GAVE_UP, 0, "too often");
	ow_eventlog_look(l, dom, OW_NS_PER_SEC + 1);
	assert_string_equal(row(0, 3)->what, "gave up");
	assert_true(isnan(row(0, 3)->id));
}

static void more_than_the_ring_holds_leaves_the_newest(void **state)
{
	char text[32];
	uint32_t i;

	for (i = 0; i < OW_EVENTS_MAX + 10; i++) {
		snprintf(text, sizeof(text), "%u", i);
		happens(OW_EVENT_START, 1, text);
	}
	ow_eventlog_look(l, dom, OW_NS_PER_SEC);
	assert_string_equal(row(0, OW_EVENTS_MAX)->text, text);
	assert_string_equal(row(OW_EVENTS_MAX - 1, OW_EVENTS_MAX)->text,
			    "10");
}

static void events_of_a_new_domain_replace_the_old_ones(void **state)
{
	happens(OW_EVENT_START, 1, "old");
	ow_eventlog_look(l, dom, OW_NS_PER_SEC);
	assert_string_equal(row(0, 1)->text, "old");
	ow_events_close(ring);
	unlink(path);
	assert_int_equal(ow_events_open(path, true, &ring), 0);
	happens(OW_EVENT_START, 1, "new");
	ow_eventlog_look(l, dom, 3 * OW_NS_PER_SEC);
	assert_string_equal(row(0, 1)->text, "new");
}

static void without_an_event_ring_there_are_no_events(void **state)
{
	ow_events_close(ring);
	ring = NULL;
	unlink(path);
	ow_eventlog_look(l, dom, OW_NS_PER_SEC);
	assert_int_equal(ow_eventlog_rows(l, 1, &(const struct ow_row *const *)
						{ NULL }), 0);
}

#define FACT(f) cmocka_unit_test_setup_teardown(f, fresh, tidy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(the_newest_comes_first_with_its_reason),
		FACT(more_than_the_ring_holds_leaves_the_newest),
		FACT(events_of_a_new_domain_replace_the_old_ones),
		FACT(without_an_event_ring_there_are_no_events),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
