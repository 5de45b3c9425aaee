/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.c - this process carries out commands of applications
 *
 * One thread at a time looks (`busy`); no lock is held while a function of the
 * program runs, so that it may do what programs do between two calls.
 */
#include "libatmi/lcf/follow/follow.h"

#include <errno.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/base/forks.h"
#include "libatmi/base/tperror.h"
#include "libatmi/domain/domain.h"
#include "libatmi/lcf/follow/slots.h"
#include "libatmi/lcf/follow/words.h"
#include "libatmi/log/log.h"
#include "libatmi/log/setting.h"
#include "libatmi/span/note.h"

#define LOOK_NS (900 * OW_NS_PER_MS)

_Atomic uint64_t ow_lcf_next_look;
_Atomic uint64_t ow_lcf_due; /* the same, whatever others read there */

/* What was registered; `lock` guards the list, which only grows. */
struct function {
	struct function *next;
	ndrx_lcf_reg_func_t reg;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct function *_Atomic functions;
static uint64_t since_ns; /* when the first function was registered */

/* Of the thread that looks. */
static _Atomic int busy;
static struct ow_lcf *segment;
static const struct ow_domain *segment_of;
static uint32_t seen[OW_LCF_SLOTS]; /* versions */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void forked(void)
{
	busy = 0; /* the thread that looked is the parent's */
	ow_lcf_due = ow_lcf_next_look = 0;
	pthread_mutex_unlock(&lock);
}

OW_FORKS_INNER static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, forked);
}

/* ---- registered ---- */

static struct function *find(int command)
{
	struct function *f = functions;

	while (f != NULL && f->reg.command != command)
		f = f->next;
	return f;
}

/* Lock held. */
static int add_function(const ndrx_lcf_reg_func_t *reg)
{
	struct function *f = find(reg->command);

	if (f != NULL && f->reg.pf_callback == reg->pf_callback)
		return 0;
	if (f != NULL)
		return ow_tp_fail(TPEMATCH, "command %d has another function",
				  reg->command);
	f = calloc(1, sizeof(*f));
	if (f == NULL)
		return ow_tp_fail(TPEOS, "no memory for a command");
	f->reg = *reg;
	f->next = functions;
	if (since_ns == 0)
		since_ns = ow_clock_mono_ns();
	functions = f;
	return 0;
}

int ndrx_lcf_func_add(ndrx_lcf_reg_func_t *func)
{
	int r;

	ow_tp_clear();
	if (func == NULL || func->pf_callback == NULL)
		return ow_tp_fail(TPEINVAL, "no function is given");
	if (ow_lcf_check(func->version, func->command, func->cmdstr,
			 sizeof(func->cmdstr)) != 0)
		return -1;
	pthread_mutex_lock(&lock);
	r = add_function(func);
	pthread_mutex_unlock(&lock);
	return r;
}

/* ---- carried out ---- */

static bool matches(const ndrx_lcf_command_t *c, const char *text)
{
	bool same = strcmp(c->procid, text) == 0;
	regex_t re;

	if ((c->flags & NDRX_LCF_FLAG_DOREX) == 0)
		return same;
	if (regcomp(&re, c->procid, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	same = regexec(&re, text, 0, NULL, 0) == 0;
	regfree(&re);
	return same;
}

static bool is_for_us(const ndrx_lcf_command_t *c)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	return (c->flags & NDRX_LCF_FLAG_ALL) != 0 ||
	       ((c->flags & NDRX_LCF_FLAG_PID) != 0 && matches(c, pid)) ||
	       ((c->flags & NDRX_LCF_FLAG_BIN) != 0 &&
		matches(c, ow_log_progname()));
}

/* A command from before this process listened is for those that ran then,
 * unless it says otherwise. */
static bool is_in_time(const ndrx_lcf_command_t *c, uint64_t published_ns)
{
	uint64_t age = ow_clock_mono_ns() - published_ns, most = 60000;

	if (published_ns >= since_ns || (c->flags & NDRX_LCF_FLAG_DOSTARTUP))
		return true;
	if (ow_setting_ms("NDRX_LCFCMDEXP", 60000, &most) != 0)
		most = 60000;
	return (c->flags & NDRX_LCF_FLAG_DOSTARTUPEXP) != 0 &&
	       age < most * OW_NS_PER_MS;
}

static void carry_out(uint32_t slot, ndrx_lcf_command_t *c)
{
	int (*callback)(ndrx_lcf_command_t *, long *);
	uint32_t version = c->cmdversion;
	struct function *f = find(c->command);
	long flags = 0;
	int r;

	if (f == NULL)
		return;
	callback = f->reg.pf_callback;
	c->fbackcode = 0;
	c->fbackmsg[0] = '\0';
	log_info("command %s (%d), version %u", c->cmdstr, c->command,
		 version);
	r = callback(c, &flags);
	c->fbackmsg[sizeof(c->fbackmsg) - 1] = '\0';
	if ((flags & NDRX_LCF_FLAG_FBACK_CODE) && c->fbackmsg[0] == '\0')
		snprintf(c->fbackmsg, sizeof(c->fbackmsg), "%ld",
			 c->fbackcode);
	if (segment != NULL)
		ow_lcf_done(segment, slot, version, r, c->fbackmsg);
}

/* The segment of the domain; it is made with the first publication. */
static bool need_segment(const struct ow_domain *d)
{
	if (d == NULL || d->tables == NULL)
		return false;
	/* The domain may have been removed, and made anew at the same address. */
	if (segment != NULL && segment_of == d && !ow_lcf_is_removed(segment))
		return true;
	segment = ow_lcf_close(segment);
	memset(seen, 0, sizeof(seen));
	segment_of = d;
	return ow_lcf_open(d, false, &segment) == 0;
}

static void look_at(uint32_t slot)
{
	static ndrx_lcf_command_t c; /* of the thread that looks: 8 KB */
	struct ow_lcf_counts n;

	if (ow_lcf_read(segment, slot, seen[slot], &c, &n) != 0)
		return;
	seen[slot] = c.cmdversion;
	if (!is_in_time(&c, n.published_ns))
		return;
	ow_lcf_seen(segment, slot, c.cmdversion);
	if (ow_lcf_wrong(&c) == NULL && is_for_us(&c))
		carry_out(slot, &c);
}

void ow_lcf_look(const struct ow_domain *d, uint64_t now_ns)
{
	uint64_t due = atomic_load(&ow_lcf_due);
	uint32_t slot, max;
	int none = 0;

	if (now_ns < due || !atomic_compare_exchange_strong(
				&ow_lcf_due, &due, now_ns + LOOK_NS))
		return;
	ow_log_look(now_ns);
	atomic_store(&ow_lcf_next_look,
		     ow_span_follow(d, now_ns) ? 0 : now_ns + LOOK_NS);
	if (functions == NULL ||
	    !atomic_compare_exchange_strong(&busy, &none, 1))
		return;
	max = ow_lcf_max();
	if (ow_env_str("NDRX_LCFNORUN", "n")[0] != 'y' && need_segment(d))
		for (slot = 0; slot < max; slot++)
			look_at(slot);
	atomic_store(&busy, 0);
}
