/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked.c - prepared branches of this process, and the orders that end them
 */
#include "drivers/xamariadb/parked.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>

#include "drivers/parking/ask.h"
#include "drivers/parking/parking.h"

#define NAME	       "mariadb" /* in addresses */
#define ANSWER_SECONDS 2 /* a stopped process answers later: asked again */
#define NOT_SENT       XA_RETRY /* the database has not got the order */

struct parked {
	struct parking at; /* first */
	char name[NAME_SIZE];
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

static int obey(struct parking *at, const char *order, size_t len)
{
	struct parked *p = (struct parked *)at;

	(void)len;
	switch (order[0]) {
	case PARK_PREPARE:
		return XA_OK;
	case PARK_COMMIT:
		return end(p, "XA COMMIT");
	case PARK_ROLLBACK:
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

static const struct parking_driver driver = {
	.name = NAME,
	.obey = obey,
	.is_usable = is_usable,
	.close = finish,
};

static void let_go(struct parked *p, bool lost)
{
	parking_end(&p->at);
	if (lost)
		finish(p->at.db);
	else
		parking_give_spare(&driver, p->at.db);
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
	r = parking_listen(&p->at, &driver, x);
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

void park_not(struct parked *p)
{
	parking_end(&p->at);
	free(p);
}

/* ---- a tmsrv ---- */

int park_ask(const XID *x, enum park_order order, bool *ret_sent)
{
	int result = XAER_RMFAIL;

	switch (parking_ask(NAME, x, (char)order, "", ANSWER_SECONDS,
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
