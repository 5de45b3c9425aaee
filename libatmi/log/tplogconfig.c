/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tplogconfig.c - change the debug log of the process, a thread or a request
 *
 * A mask of LOG_FACILITY_* bits selects which of these logs, and which of
 * their facilities, a change is for.
 */
#include <ndebug.h>

#include <stdio.h>
#include <string.h>

#include "libatmi/base/nerror.h"
#include "libatmi/log/conf.h"
#include "libatmi/log/log.h"
#include "libatmi/log/own.h"
#include "libatmi/log/process.h"

static const int request_bits[OW_LOG_FACS] = {
	[OW_LOG_NDRX] = LOG_FACILITY_NDRX_REQUEST,
	[OW_LOG_UBF] = LOG_FACILITY_UBF_REQUEST,
	[OW_LOG_TP] = LOG_FACILITY_TP_REQUEST,
};
static const int thread_bits[OW_LOG_FACS] = {
	[OW_LOG_NDRX] = LOG_FACILITY_NDRX_THREAD,
	[OW_LOG_UBF] = LOG_FACILITY_UBF_THREAD,
	[OW_LOG_TP] = LOG_FACILITY_TP_THREAD,
};
static const int process_bits[OW_LOG_FACS] = {
	[OW_LOG_NDRX] = LOG_FACILITY_NDRX,
	[OW_LOG_UBF] = LOG_FACILITY_UBF,
	[OW_LOG_TP] = LOG_FACILITY_TP,
};

/* The arguments of tplogconfig(): -1, NULL and "" change nothing. */
struct change {
	int mask;
	int lev;
	const char *string, *module, *file;
};

/* Apply a change to `conf`. Facilities outside of the mask keep their
 * levels. */
static int apply(const struct change *ch, const int *bits,
		 struct ow_log_conf *conf)
{
	struct ow_log_conf before = *conf;
	int r = 0;

	for (int i = 0; i < OW_LOG_FACS; i++)
		if (ch->lev >= 0)
			conf->level[i] = ch->lev;
	if (ch->string != NULL)
		r = ow_log_conf_string(conf, ch->string);
	for (int i = 0; i < OW_LOG_FACS; i++)
		if ((ch->mask & bits[i]) == 0)
			conf->level[i] = before.level[i];
	if (ch->module != NULL && ch->module[0] != '\0')
		snprintf(conf->module, sizeof(conf->module), "%.4s",
			 ch->module);
	if (ch->file != NULL && ch->file[0] != '\0')
		snprintf(conf->file, sizeof(conf->file), "%s", ch->file);
	return r;
}

static bool mask_has(int mask, const int *bits)
{
	return (mask & (bits[0] | bits[1] | bits[2])) != 0;
}

static int change_process(const struct change *ch)
{
	struct ow_log_conf conf;
	int r;

	ow_log_start();
	ow_log_process_conf(&conf);
	if (apply(ch, process_bits, &conf) < 0)
		return ow_n_fail(NEFORMAT, "%s", conf.problem);
	r = ow_log_process_apply(&conf, false);
	if (r < 0)
		return ow_n_fail(NESYSTEM, "%s: %s", conf.file, strerror(-r));
	return 0;
}

static int change_own(const struct change *ch, enum ow_log_own_kind kind,
		      const int *bits)
{
	struct ow_log_own *own = ow_log_own_need(kind);
	struct ow_log_conf conf;
	int r;

	if (own == NULL)
		return ow_n_fail(NEMALLOC, "no memory");
	ow_log_conf_init(&conf);
	memcpy(conf.level, own->level, sizeof(conf.level));
	if (apply(ch, bits, &conf) < 0)
		return ow_n_fail(NEFORMAT, "%s", conf.problem);
	if (conf.file[0] != '\0') {
		r = ow_log_file_open(&own->file, conf.file, conf.mkdir);
		if (r < 0)
			return ow_n_fail(NESYSTEM, "%s: %s", conf.file,
					 strerror(-r));
		own->has_file = true;
		own->file_generation = 0;
	}
	memcpy(own->level, conf.level, sizeof(own->level));
	if (conf.module[0] != '\0')
		memcpy(own->module, conf.module, sizeof(own->module));
	return 0;
}

int tplogconfig(int logger, int lev, const char *debug_string,
		const char *module, const char *new_file)
{
	const struct change ch = { .mask = logger,
				   .lev = lev,
				   .string = debug_string,
				   .module = module,
				   .file = new_file };
	int r = 0;

	if (mask_has(logger, process_bits))
		r = change_process(&ch);
	if (r == 0 && mask_has(logger, thread_bits))
		r = change_own(&ch, OW_LOG_THREAD, thread_bits);
	if (r == 0 && mask_has(logger, request_bits))
		r = change_own(&ch, OW_LOG_REQUEST, request_bits);
	return r;
}

int ndrxlogconfig(int logger, int lev, const char *debug_string,
		  const char *module, const char *new_file)
{
	return tplogconfig(logger, lev, debug_string, module, new_file);
}

int ubflogconfig(int logger, int lev, const char *debug_string,
		 const char *module, const char *new_file)
{
	return tplogconfig(logger, lev, debug_string, module, new_file);
}

int tplogreopen(void)
{
	int r;

	ow_log_start();
	r = ow_log_process_reopen();
	for (int i = 0; i < OW_LOG_OWN_KINDS; i++) {
		struct ow_log_own *own;
		int s = 0;

		own = ow_log_own_get((enum ow_log_own_kind)i);
		if (own != NULL && own->has_file)
			s = ow_log_file_reopen(&own->file);
		r = r < 0 ? r : s;
	}
	if (r < 0)
		return ow_n_fail(NESYSTEM, "reopen: %s", strerror(-r));
	return 0;
}
