/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked.c - parked branches of this process, and the orders that end them
 */
#include "drivers/xamariadb/parked.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>

#include "drivers/xamariadb/last.h"

#define ANSWER_SECONDS 2 /* a stopped process answers later: asked again */
#define NOT_SENT       XA_RETRY /* the database has not got the order */

struct parked {
	struct parking at; /* first */
	char name[NAME_SIZE];
	bool is_open;
};

/* ---- orders, in the thread ---- */

static void let_go(struct parked *p, bool lost);

static int end(struct parked *p, const char *verb)
{
	bool lost = db_is_lost(p->at.db);
	int result = lost ? NOT_SENT : db_run_on(p->at.db, verb, p->name);

	let_go(p, result != XA_OK);
	return result;
}

static int roll_back(struct parked *p)
{
	let_go(p, !last_roll_back(p->at.db, p->name));
	return XA_OK; /* or the connection has ended, and the branch with it */
}

static int obey_open(struct parked *p, const char *order)
{
	bool usable = false;
	int result;

	if (order[0] == PARKING_ROLLBACK)
		return roll_back(p);
	if (order[0] != PARKING_COMMIT)
		return XAER_INVAL;
	result = last_commit(p->at.db, p->name, order + 1, &usable);
	let_go(p, !usable);
	return result;
}

static void late(struct parking *at)
{
	userlog((char *)"mariadb: a branch got no order in time: it is rolled "
		"back");
	(void)roll_back((struct parked *)at);
}

static int obey(struct parking *at, const char *order, size_t len)
{
	struct parked *p = (struct parked *)at;

	(void)len;
	if (p->is_open)
		return obey_open(p, order);
	switch (order[0]) {
	case PARKING_PREPARE:
		return XA_OK;
	case PARKING_COMMIT:
		return end(p, "XA COMMIT");
	case PARKING_ROLLBACK:
		return end(p, "XA ROLLBACK");
	default:
		return XAER_INVAL;
	}
}

/* ---- connections ---- */

static bool is_usable(void *db)
{
	return !db_is_lost(db);
}

static void finish(void *db)
{
	db_close(db);
}

const struct parking_driver park_driver = {
	.name = "mariadb",
	.answer_seconds = DB_ANSWER_SECONDS,
	.obey = obey,
	.late = late,
	.is_usable = is_usable,
	.close = finish,
};

static void let_go(struct parked *p, bool lost)
{
	parking_end(&p->at);
	if (lost)
		finish(p->at.db);
	else
		parking_give_spare(&park_driver, p->at.db);
	free(p);
}

MYSQL *park_take_spare(void)
{
	return parking_take_spare();
}

void park_drop_spares(void)
{
	MYSQL *db;

	while ((db = park_take_spare()) != NULL)
		db_close(db);
}

/* ---- the service's thread ---- */

int park_listen(const XID *x, struct parked **ret)
{
	struct parked *p = calloc(1, sizeof(*p));
	int r;

	if (p == NULL)
		return -ENOMEM;
	r = parking_listen(&p->at, &park_driver, x);
	if (r != 0) {
		free(p);
		return r;
	}
	*ret = p;
	return 0;
}

void park(struct parked *p, MYSQL *db, const char *name)
{
	int r;

	strcpy(p->name, name);
	r = parking_begin(&p->at, db, UINT64_MAX);
	if (r == 0)
		return;
	/* As if this process had died: the database keeps the branch. */
	userlog((char *)"mariadb: a branch takes no orders: %s", strerror(-r));
	let_go(p, true);
}

int park_open(struct parked *p, MYSQL *db, const char *name,
	      uint64_t until_ns)
{
	int r;

	strcpy(p->name, name);
	p->is_open = true;
	r = parking_begin(&p->at, db, until_ns);
	if (r != 0)
		park_not(p);
	return r;
}

void park_not(struct parked *p)
{
	parking_end(&p->at);
	free(p);
}

/* ---- a tmsrv ---- */

int park_ask(const XID *x, enum parking_order order, bool *ret_sent)
{
	int result = XAER_RMFAIL;

	switch (parking_ask(park_driver.name, x, (char)order, "", ANSWER_SECONDS,
			    &result)) {
	case PARKING_GONE:
		return PARK_GONE;
	case PARKING_NOT_SENT:
		return XAER_RMFAIL;
	case PARKING_ANSWERED:
		if (result == NOT_SENT)
			return XAER_RMFAIL;
		break;
	default:
		break;
	}
	*ret_sent = true;
	return result;
}
