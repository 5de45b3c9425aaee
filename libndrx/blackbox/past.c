/* SPDX-License-Identifier: Apache-2.0 */
/*
 * past.c - a console shows what the black box has recorded
 */
#include "libndrx/blackbox/past.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/member/join.h"
#include "libndrx/blackbox/archive.h"
#include "libndrx/blackbox/file.h"
#include "libndrx/blackbox/player.h"
#include "libndrx/blackbox/recorder.h"
#include "libndrx/blackbox/when.h"
#include "libndrx/model/eventlog.h"
#include "libndrx/model/model.h"
#include "libndrx/model/sample.h"

#define BEFORE_NS (70 * OW_NS_PER_SEC)	/* played for the figures */
#define AHEAD_NS  (300 * OW_NS_PER_SEC) /* more begins again */
#define OLD_NS	  (3 * OW_NS_PER_SEC)	/* a record that is not of then */

struct ow_past {
	struct ow_bb_player *player;
	uint64_t first_ns, last_ns; /* of its records */
	uint64_t at_ns, shown_ns;   /* wanted; shown: 0, nothing yet */
	uint64_t record_ns;	    /* of the sample that is shown */
	struct ow_model *model; /* while it plays */
	struct ow_eventlog *log;
	char remark[256];
};

/* Two domains with one NDRX_APPHOME: it is of the one that came first. */
static bool is_of_another(const struct ow_bb_file *f, struct ow_bb_about *ret)
{
	struct ow_domain d;
	char why[512];

	ow_bb_about(f, ret);
	return ret->prefix[0] != '\0' &&
	       ow_domain_read_env(&d, why, sizeof(why)) == 0 &&
	       strcmp(ret->prefix, d.prefix) != 0;
}

int ow_bb_open_own(struct ow_bb_file **ret, char *why, size_t size)
{
	struct ow_bb_about about;
	char path[512];
	int r;

	ow_bb_path(path, sizeof(path));
	if (path[0] == '\0') {
		snprintf(why, size, "NDRX_APPHOME is not set");
		return -ENOENT;
	}
	r = ow_bb_open(path, ret);
	if (r == 0 && is_of_another(*ret, &about)) {
		snprintf(why, size, "%s is of domain %s, and NDRX_QPREFIX names "
			 "another one: each domain needs an NDRX_APPHOME of "
			 "its own", path, about.prefix);
		*ret = ow_bb_close(*ret);
		return -EXDEV;
	}
	if (r == -ENOENT)
		snprintf(why, size, "there is no black box: %s is not there; a "
			 "server blackboxsv in the configuration writes it",
			 path);
	else if (r < 0)
		snprintf(why, size, "%s: %s", path,
			 r == -EBADMSG ? "no black box of this version, or it "
					 "is empty"
				       : strerror(-r));
	return r;
}

int ow_past_open(const char *report, const char *text, struct ow_past **ret,
		 char *why, size_t size)
{
	struct ow_past *p = calloc(1, sizeof(*p));
	struct ow_bb_file *f = NULL;
	char from[32], to[32];

	if (p == NULL ||
	    (report != NULL ? ow_bb_open_report(report, &f, why, size)
			    : ow_bb_open_own(&f, why, size)) < 0) {
		free(p);
		return -1;
	}
	p->player = ow_bb_player_new(f);
	if (p->player == NULL ||
	    !ow_bb_player_span(p->player, &p->first_ns, &p->last_ns)) {
		snprintf(why, size, "the black box has no record yet");
		ow_past_close(p);
		return -1;
	}
	p->at_ns = p->last_ns;
	if (text != NULL && !ow_bb_when(text, p->last_ns, &p->at_ns)) {
		snprintf(why, size, "%s: give a time: 03:12, 03:12:30, "
			 "\"2026-11-27 03:12\", or how long ago: 10m", text);
		ow_past_close(p);
		return -1;
	}
	if (p->at_ns + OW_NS_PER_SEC <= p->first_ns ||
	    p->at_ns > p->last_ns + OW_NS_PER_SEC) {
		snprintf(why, size, "%s: the black box has records from %s to "
			 "%s", text, ow_bb_when_text(p->first_ns, from),
			 ow_bb_when_text(p->last_ns, to));
		ow_past_close(p);
		return -1;
	}
	*ret = p;
	return 0;
}

struct ow_past *ow_past_close(struct ow_past *p)
{
	if (p == NULL)
		return NULL;
	ow_bb_player_free(p->player);
	free(p);
	return NULL;
}

void ow_past_span(const struct ow_past *p, uint64_t *ret_first,
		  uint64_t *ret_last)
{
	*ret_first = p->first_ns;
	*ret_last = p->last_ns;
}

void ow_past_go(struct ow_past *p, uint64_t real_ns)
{
	p->at_ns = real_ns < p->first_ns  ? p->first_ns
		   : real_ns > p->last_ns ? p->last_ns
					  : real_ns;
}

void ow_past_step(struct ow_past *p, int64_t seconds)
{
	uint64_t by = (uint64_t)(seconds < 0 ? -seconds : seconds) *
		      OW_NS_PER_SEC;

	if (seconds < 0)
		p->at_ns = p->at_ns - p->first_ns > by ? p->at_ns - by
						       : p->first_ns;
	else
		p->at_ns = p->at_ns + by < p->last_ns ? p->at_ns + by
						      : p->last_ns;
}

static int on_sample(void *arg, const struct ow_sample *s)
{
	struct ow_past *p = arg;

	p->record_ns = s->real_ns;
	return ow_model_take(p->model, s);
}

static void on_event(void *arg, const struct ow_event *e)
{
	struct ow_past *p = arg;

	ow_eventlog_add(p->log, e);
}

/* Forget all, and begin some records before. */
static int begin(struct ow_past *p, uint64_t span_ns, struct ow_model **model,
		 struct ow_eventlog **log)
{
	ow_model_free(*model);
	ow_eventlog_free(*log);
	*model = ow_model_new();
	*log = ow_eventlog_new();
	if (*model == NULL || *log == NULL)
		return -ENOMEM;
	ow_model_set_span(*model, span_ns);
	p->record_ns = 0;
	return ow_bb_play_from(p->player, p->at_ns > BEFORE_NS
					      ? p->at_ns - BEFORE_NS : 0);
}

static void remark(struct ow_past *p)
{
	char of[32];

	p->remark[0] = '\0';
	if (p->record_ns == 0)
		snprintf(p->remark, sizeof(p->remark), "nothing readable was "
			 "recorded before this time");
	else if (p->at_ns - p->record_ns > OLD_NS)
		snprintf(p->remark, sizeof(p->remark), "nothing was recorded "
			 "then: this is of %s",
			 ow_bb_when_text(p->record_ns, of));
	else
		ow_bb_player_say(p->player, p->remark, sizeof(p->remark));
}

int ow_past_look(struct ow_past *p, uint64_t span_ns, struct ow_model **model,
		 struct ow_eventlog **log)
{
	struct ow_bb_listener l = { on_sample, on_event, p };
	int r = 0;

	if (p->at_ns == p->shown_ns)
		return 0;
	if (p->shown_ns == 0 || p->at_ns < p->shown_ns ||
	    p->at_ns - p->shown_ns > AHEAD_NS)
		r = begin(p, span_ns, model, log);
	p->model = *model;
	p->log = *log;
	/* A record of 03:12:07.3 is that of 03:12:07. */
	if (r == 0)
		r = ow_bb_play(p->player,
			       p->at_ns - p->at_ns % OW_NS_PER_SEC +
				   OW_NS_PER_SEC - 1, &l);
	if (r != 0)
		return r;
	p->shown_ns = p->at_ns;
	remark(p);
	return 0;
}

const char *ow_past_remark(const struct ow_past *p)
{
	return p->remark;
}
