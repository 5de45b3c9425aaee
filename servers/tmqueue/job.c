/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.c - one thing that the engine is to do
 */
#include "servers/tmqueue/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job *job_new(enum job_kind kind, size_t len)
{
	struct job *j = malloc(sizeof(*j) + len);

	if (j == NULL)
		return NULL;
	memset(j, 0, sizeof(*j));
	j->kind = kind;
	j->payload = (char *)(j + 1);
	j->answer.magic = OW_MQ_ANSWER;
	return j;
}

struct job *job_free(struct job *j)
{
	if (j != NULL && j->reply != NULL)
		tpfree(j->reply);
	free(j);
	return NULL;
}

int job_fail(struct job *j, int tperr, int diagnostic, const char *why)
{
	j->answer.tperr = tperr;
	j->answer.diagnostic = diagnostic;
	snprintf(j->answer.why, sizeof(j->answer.why), "%s", why);
	return 0;
}
