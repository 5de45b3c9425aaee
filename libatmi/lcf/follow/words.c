/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - commands of applications as xadmin offers them
 */
#include "libatmi/lcf/follow/words.h"

#include <pthread.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/forks.h"
#include "libatmi/base/tperror.h"
#include "libatmi/lcf/follow/slots.h"
#include "libatmi/log/setting.h"

#define WHO (NDRX_LCF_FLAG_ALL | NDRX_LCF_FLAG_PID | NDRX_LCF_FLAG_BIN)

struct word {
	struct word *next;
	ndrx_lcf_reg_xadmin_t reg;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct word *words; /* only grows */

static void lock_words(void)
{
	pthread_mutex_lock(&lock);
}

static void unlock_words(void)
{
	pthread_mutex_unlock(&lock);
}

OW_FORKS_INNER static void watch_forks(void)
{
	pthread_atfork(lock_words, unlock_words, unlock_words);
}

uint32_t ow_lcf_max(void)
{
	long n = 20;

	if (ow_setting_long("NDRX_LCFMAX", 20, 1, OW_LCF_SLOTS, &n) != 0)
		n = 20;
	return (uint32_t)n;
}

int ow_lcf_check(int version, int command, const char *name, size_t size)
{
	if (version != 1)
		return ow_tp_fail(TPEINVAL, "version %d: 1 is known", version);
	if (command < NDRX_LCF_CMD_MIN_CUST || command > NDRX_LCF_CMD_MAX_CUST)
		return ow_tp_fail(TPEINVAL, "command %d: applications have %d "
				  "to %d", command, NDRX_LCF_CMD_MIN_CUST,
				  NDRX_LCF_CMD_MAX_CUST);
	if (name[0] == '\0' || strnlen(name, size) == size)
		return ow_tp_fail(TPEINVAL, "a command needs a name of up to "
				  "%zu characters", size - 1);
	return 0;
}

const char *ow_lcf_wrong(const ndrx_lcf_command_t *c)
{
	regex_t re;

	if (c->version != 1 || c->command < NDRX_LCF_CMD_MIN_CUST ||
	    c->command > NDRX_LCF_CMD_MAX_CUST)
		return "version or code are wrong";
	if (c->cmdstr[0] == '\0' ||
	    strnlen(c->cmdstr, sizeof(c->cmdstr)) == sizeof(c->cmdstr) ||
	    strnlen(c->procid, sizeof(c->procid)) == sizeof(c->procid) ||
	    strnlen(c->arg_a, sizeof(c->arg_a)) == sizeof(c->arg_a) ||
	    strnlen(c->arg_b, sizeof(c->arg_b)) == sizeof(c->arg_b))
		return "a text is empty or does not end";
	if ((c->flags & WHO) == 0)
		return "it is for nobody: NDRX_LCF_FLAG_ALL, _PID or _BIN";
	if ((c->flags & NDRX_LCF_FLAG_DOREX) == 0)
		return NULL;
	if (regcomp(&re, c->procid, REG_EXTENDED | REG_NOSUB) != 0)
		return "the regular expression is wrong";
	regfree(&re);
	return NULL;
}

/* Lock held. */
static int add_word(const ndrx_lcf_reg_xadmin_t *reg)
{
	struct word *w;

	for (w = words; w != NULL; w = w->next)
		if (strcmp(w->reg.cmdstr, reg->cmdstr) == 0)
			return ow_tp_fail(TPEMATCH, "there is a command %s "
					  "already", reg->cmdstr);
	w = calloc(1, sizeof(*w));
	if (w == NULL)
		return ow_tp_fail(TPEOS, "no memory for a command");
	w->reg = *reg;
	w->next = words;
	words = w;
	return 0;
}

int ndrx_lcf_xadmin_add(ndrx_lcf_reg_xadmin_t *cmd)
{
	int r;

	ow_tp_clear();
	if (cmd == NULL)
		return ow_tp_fail(TPEINVAL, "no command is given");
	if (ow_lcf_check(cmd->version, cmd->command, cmd->cmdstr,
		  sizeof(cmd->cmdstr)) != 0)
		return -1;
	if (strnlen(cmd->helpstr, sizeof(cmd->helpstr)) ==
		sizeof(cmd->helpstr) ||
	    cmd->dfltslot < 0 || cmd->dfltslot >= (int)ow_lcf_max())
		return ow_tp_fail(TPEINVAL, "help text or slot are wrong");
	pthread_mutex_lock(&lock);
	r = add_word(cmd);
	pthread_mutex_unlock(&lock);
	return r;
}

bool ow_lcf_xadmin_at(uint32_t i, ndrx_lcf_reg_xadmin_t *ret)
{
	struct word *w;

	pthread_mutex_lock(&lock);
	for (w = words; w != NULL && i > 0; i--)
		w = w->next;
	if (w != NULL)
		*ret = w->reg;
	pthread_mutex_unlock(&lock);
	return w != NULL;
}

bool ow_lcf_xadmin_find(const char *word, ndrx_lcf_reg_xadmin_t *ret)
{
	uint32_t i;

	for (i = 0; ow_lcf_xadmin_at(i, ret); i++)
		if (strcmp(ret->cmdstr, word) == 0)
			return true;
	return false;
}
