/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_clients.c - check the programs of <clients>: those that are to run and
 * do not
 *
 * What is known of them is ndrxd's alone: it is asked. One that is stopped by a
 * signal is not, it would not answer.
 */
#include "libndrx/observe/doctor.h"

#include <stdio.h>
#include <string.h>

#include "libatmi/wire/ctl.h"
#include "libndrx/observe/command.h"

#define PATIENCE_MS 2000

struct clients {
	struct ow_doctor_names gone, late;
};

static bool is_settled(uint32_t state)
{
	return state == OW_PROC_NOT_STARTED || state == OW_PROC_EXITED ||
	       state == OW_PROC_STOPPING || state == OW_PROC_WAITING ||
	       state == OW_PROC_RUNNING;
}

static void see(const union ow_ctl_msg *m, void *arg)
{
	const struct ow_ctl_client *c = &m->client;
	struct clients *k = arg;
	char name[160];
	bool wanted;

	if (m->h.kind != OW_CTL_CLIENT || c->pid > 0)
		return;
	wanted = c->requested == OW_PROC_RUNNING;
	/* One that is wanted and has ended is on its way back. */
	if (is_settled(c->state) && !(wanted && c->state == OW_PROC_EXITED))
		return;
	snprintf(name, sizeof(name), "%.30s/%.20s (%s)", c->tag, c->subsect,
		 ow_proc_state_word(c->state));
	ow_doctor_name(wanted ? &k->late : &k->gone, name);
}

void ow_doctor_clients(struct ow_doctor *doc, bool held)
{
	struct clients k = { .gone.n = 0 };
	struct ow_command_order order = { .verb = OW_VERB_PC, .on_reply = see,
					  .arg = &k,
					  .silence_ms = PATIENCE_MS };
	struct ow_command_link link;
	struct ow_ctl_done done;

	if (ow_command_open(&doc->env, &link) == 0)
		(void)ow_command_call(&link, &order, &done);
	ow_command_close(&link);
	if (k.gone.n > 0)
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.grade = OW_DOCTOR_FAIL, .what = "clients given up",
			.found = k.gone.text,
			.meaning = "programs of <clients> that have ended, and "
				   "nobody starts them again",
			.cure = "xadmin pc --json has the reason of each; then "
				"xadmin bc -t TAG -s SUBSECT" });
	if (k.late.n > 0)
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.grade = OW_DOCTOR_WARN, .what = "clients away",
			.found = k.late.text,
			.meaning = held ? "programs of <clients> that are to run, "
					  "and are not started in maintenance "
					  "mode"
					: "programs of <clients> that are to run "
					  "and do not; ndrxd tries again",
			.cure = held ? "xadmin mmoff, or xadmin bc -t TAG -s "
				       "SUBSECT"
				     : "xadmin pc --json has the reason of "
				       "each" });
}
