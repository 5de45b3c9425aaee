/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - call what the program has given: with its pointer, or without
 */
#include "libatmisrv/program.h"

#include <stdatomic.h>
#include <stddef.h>

#include "libatmisrv/server.h"

bool ow_program_has_init(const struct ow_program *p)
{
	return p->with != NULL ? p->with->init != NULL : p->init != NULL;
}

int ow_program_init(const struct ow_program *p, int argc, char **argv)
{
	return p->with != NULL ? p->with->init(argc, argv, p->with->data)
			       : p->init(argc, argv);
}

void ow_program_done(const struct ow_program *p)
{
	if (p->with != NULL && p->with->done != NULL)
		p->with->done(p->with->data);
	else if (p->with == NULL && p->done != NULL)
		p->done();
}

int ow_program_thrinit(const struct ow_program *p, bool main, int argc,
		       char **argv)
{
	if (p->with != NULL)
		return p->with->thrinit != NULL
			   ? p->with->thrinit(argc, argv, p->with->data)
			   : 0;
	if (p->thrinit == NULL || (main && p->thrinit == p->init))
		return 0;
	return p->thrinit(argc, argv);
}

void ow_program_thrdone(const struct ow_program *p, bool main)
{
	if (p->with != NULL && p->with->thrdone != NULL)
		p->with->thrdone(p->with->data);
	else if (p->with == NULL && p->thrdone != NULL &&
		 !(main && p->thrdone == p->done))
		p->thrdone();
}

void ow_program_serves(TPSVCINFO *info)
{
	struct ow_server *s = ow_server_used();
	uint32_t row = atomic_load(&s->slot->cur_adv) - 1;

	s->offers[row].serves.with(info, s->offers[row].serves.data);
}
