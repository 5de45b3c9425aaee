/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space_fixture.h - a queue space in a folder of its own, without an engine
 *
 * Jobs are executed as the engine does, each in a transaction of its own.
 */
#ifndef OW_TESTS_SPACE_FIXTURE_H
#define OW_TESTS_SPACE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xatmi.h>

#include "servers/tmqueue/conf.h"
#include "servers/tmqueue/execute.h"
#include "tests/unit/servers/folder.h"

struct base {
	char folder[64];
	struct space sp;
};

static void open_base(struct base *b)
{
	char why[256] = "";
	struct space *sp = &b->sp;

	memset(sp, 0, sizeof(*sp));
	strcpy(sp->name, "S");
	known_init(&sp->known, 0, 0);
	assert_int_equal(store_open(&sp->store, b->folder, "S", why,
				    sizeof(why)), 0);
	assert_int_equal(store_begin(&sp->store, 0, true), 0);
	assert_int_equal(queues_load(&sp->queues, &sp->store), 0);
	store_abort(&sp->store);
}

static void close_base(struct base *b)
{
	store_close(&b->sp.store);
	queues_free(&b->sp.queues);
	known_free(&b->sp.known);
}

static void define(struct base *b, const char *line)
{
	char why[256] = "";

	assert_int_equal(conf_define(&b->sp.queues, line, why, sizeof(why)),
			 0);
}

static int space_setup(void **state)
{
	struct base *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	folder_make(b->folder, "/tmp/ow_tmqueue");
	setenv("NDRX_ULOG", b->folder, 1);
	open_base(b);
	*state = b;
	return 0;
}

static int space_teardown(void **state)
{
	struct base *b = *state;

	close_base(b);
	folder_remove(b->folder);
	free(b);
	return 0;
}

static void run(struct base *b, struct job *j)
{
	struct space *sp = &b->sp;

	assert_int_equal(store_begin(&sp->store, 8192, false), 0);
	assert_int_equal(execute(sp, j), 0);
	assert_int_equal(queues_write(&sp->queues, &sp->store), 0);
	assert_int_equal(store_commit(&sp->store), 0);
	queues_keep(&sp->queues);
}

#endif
