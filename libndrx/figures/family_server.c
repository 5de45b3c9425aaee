/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family_server.c - figures of each server
 */
#include "libndrx/figures/family.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/wire/ctl.h"

struct server {
	const struct ow_srv *srv;
	uint32_t id;
	bool alive;
	char number[16], program[64];
	struct ow_text_label labels[4]; /* the third is free */
};

/* The next server from *id on that has a name; false: no more. */
static bool next_server(const struct ow_figures *f, uint32_t *id,
			struct server *s)
{
	const struct ow_tables *tab = f->view.d.tables;

	memset(s, 0, sizeof(*s));
	do {
		*id = ow_srv_next(tab, *id + 1);
		if (*id == 0)
			return false;
		ow_observer_bin(&f->view, *id, s->program);
	} while (s->program[0] == '\0');
	s->id = *id;
	s->srv = &tab->srv[*id];
	s->alive = ow_srv_alive(tab, *id);
	snprintf(s->number, sizeof(s->number), "%" PRIu32,
		 ow_observer_srvid(&f->view, *id));
	s->labels[0] = (struct ow_text_label){ "srvid", s->number };
	s->labels[1] = (struct ow_text_label){ "program", s->program };
	return true;
}

#define EACH_SERVER(f, s) \
	for (uint32_t i_ = 0; next_server(f, &i_, &(s));)

void ow_family_alive(const struct ow_figures *f, const struct ow_family *fam,
		     struct ow_text *t)
{
	struct server s;

	EACH_SERVER(f, s)
		ow_family_uint(fam, t, s.labels, s.alive);
}

/* A server is wanted also when ndrxd has given up restarting it. */
static bool is_wanted(const struct ow_figures *f, const struct server *s)
{
	bool given_up;

	return s->alive || ow_observer_missing(&f->view, s->id, &given_up);
}

void ow_family_wanted(const struct ow_figures *f, const struct ow_family *fam,
		      struct ow_text *t)
{
	struct server s;

	EACH_SERVER(f, s)
		ow_family_uint(fam, t, s.labels, is_wanted(f, &s));
}

/* A word of struct ow_srv. */
void ow_family_server(const struct ow_figures *f, const struct ow_family *fam,
		      struct ow_text *t)
{
	struct server s;

	EACH_SERVER(f, s)
		ow_family_uint(fam, t, s.labels, ow_family_word(fam, s.srv));
}

/* Calls of one process over all its services, by result. */
void ow_family_server_calls(const struct ow_figures *f,
			    const struct ow_family *fam, struct ow_text *t)
{
	struct server s;

	EACH_SERVER(f, s) {
		uint64_t ok = 0, fail = 0;

		for (uint32_t r = 0; r < ow_observer_rows(&f->view, s.id);
		     r++) {
			ok += ow_tables_adv(f->view.d.tables, s.id)[r].ok;
			fail += ow_tables_adv(f->view.d.tables, s.id)[r].fail;
		}
		s.labels[2] = (struct ow_text_label){ "result", "ok" };
		ow_family_uint(fam, t, s.labels, ok);
		s.labels[2].value = "fail";
		ow_family_uint(fam, t, s.labels, fail);
	}
}

void ow_family_age(const struct ow_figures *f, const struct ow_family *fam,
		   struct ow_text *t)
{
	struct server s;

	EACH_SERVER(f, s) {
		ow_family_us(fam, t, s.labels,
			     ow_observer_request_age_us(&f->view, s.id));
	}
}
