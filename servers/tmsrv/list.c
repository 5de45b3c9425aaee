/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - what a tmsrv knows, as text for operators
 */
#include "servers/tmsrv/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "servers/tmsrv/branches.h"
#include "servers/tmsrv/table.h"
#include "libatmi/base/clock.h"
#include "libatmi/xa/rm.h"

static void add_line(struct tran *t, void *arg)
{
	uint64_t now = ow_clock_mono_ns();
	int64_t left = (int64_t)(t->deadline_ns - now) / (int64_t)OW_NS_PER_MS;
	FILE *f = arg;
	uint32_t i;

	if (t->reserved)
		return;
	fprintf(f, "%016" PRIx64 " %s %d %" PRIu64 " %" PRId64 " %u", t->id,
		table_state_word(t->state), t->doomed, t->timeout_ms,
		t->deadline_ns > now ? left : 0, t->tries);
	for (i = 0; i < t->n; i++)
		fprintf(f, " %u:%u:%c:%d:%u",
			t->branches[i].node != 0 ? 0 : t->branches[i].rmid,
			t->branches[i].number,
			branch_state(&t->branches[i]),
			branch_known(&t->branches[i]), t->branches[i].node);
	if (t->sup.node != 0)
		fprintf(f, " ^%u:%016" PRIx64 "%016" PRIx64 ":%d", t->sup.node,
			t->sup.identity, t->sup.tran, t->hand);
	fputc('\n', f);
}

char *list_transactions(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return NULL;
	table_lock();
	table_each(add_line, f);
	table_unlock();
	if (fclose(f) != 0) {
		free(text);
		text = NULL;
	}
	return text;
}

static void add_xid(FILE *f, const XID *x)
{
	long i, n = x->gtrid_length + x->bqual_length;
	struct ow_tm m;

	for (i = 0; i < n && i < XIDDATASIZE; i++)
		fprintf(f, "%s%02x", i == x->gtrid_length ? " " : "",
			(unsigned char)x->data[i]);
	if (ow_tm_read_xid(x, &m))
		fprintf(f, " %016" PRIx64 " %016" PRIx64 " %u", m.identity,
			m.tran, m.branch);
	fputc('\n', f);
}

char *list_branches(void)
{
	XID *xids = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int i, n = 0;

	if (ow_rm_exists())
		n = branches_recover(&xids);
	for (i = 0; f != NULL && i < n; i++)
		add_xid(f, &xids[i]);
	free(xids);
	if (f == NULL || fclose(f) != 0) {
		free(text);
		text = NULL;
	}
	return text;
}
