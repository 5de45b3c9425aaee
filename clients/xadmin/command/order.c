/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - is the user sure of an order, and the history of those that ndrxd does not
 * hear of
 *
 * ndrxd records what it is told, and what guests do. The rest xadmin writes
 * itself, in the same words, before it begins: one that is killed is there, too.
 */
#include "clients/xadmin/command/order.h"

#include <stdio.h>
#include <unistd.h>

#include "clients/xadmin/command/command.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/history.h"
#include "libatmi/domain/orderer.h"
#include "libatmi/member/join.h"
#include "libndrx/observe/observer.h"

#define WORDS_LEN 160

/* ---- the history ---- */

/* A listing with words is an order (lcf); without, it only looks. */
static bool is_noted(const struct ow_args *a)
{
	return a->cmd->noted && a->x->right == OW_GUEST_NOBODY &&
	       (!a->cmd->json || a->n_rest > 0);
}

void ow_cmd_note(const struct ow_args *a)
{
	struct ow_event e = { .kind = OW_EVENT_COMMAND,
			      .pid = (int32_t)getpid(),
			      .who = "xadmin" };
	char words[WORDS_LEN] = "", by[300], why[256];
	struct ow_domain d;
	size_t n = 0;
	int i;

	if (!is_noted(a) || ow_domain_read_env(&d, why, sizeof(why)) != 0 ||
	    ow_observer_foreign(&d, why, sizeof(why)))
		return;
	for (i = 0; i < a->n_words && n < sizeof(words); i++)
		n += (size_t)snprintf(words + n, sizeof(words) - n, "%s%s",
				      i > 0 ? " " : "", a->words[i]);
	ow_orderer_describe(getpid(), getuid(), "", by, sizeof(by));
	snprintf(e.text, sizeof(e.text), "%s by %s", words, by);
	(void)ow_history_append(&d, &e); /* a full disk hinders no order */
}

/* ---- is he sure ---- */

static bool ask_user(const struct ow_args *a)
{
	char answer[64];

	if (ow_args_has(a, 'y'))
		return true;
	fprintf(stderr, "Are you sure? (y/n) ");
	fflush(stderr);
	if (fgets(answer, sizeof(answer), stdin) == NULL) {
		putc('\n', stderr);
		answer[0] = 'n';
	}
	if (answer[0] == 'y' || answer[0] == 'Y')
		return true;
	fprintf(stderr, "%s: not done (-y answers yes)\n", a->cmd->name);
	return false;
}

bool ow_cmd_sure(const struct ow_args *a)
{
	if (!ask_user(a))
		return false;
	ow_cmd_note(a);
	return true;
}
