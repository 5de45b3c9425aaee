/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_blackbox.c - check whether anybody records the domain
 *
 * Nobody misses the black box before the night of which it should tell.
 */
#include "libndrx/observe/doctor_blackbox.h"

#include <string.h>

#include "libndrx/observe/observer.h"

#define WRITER "blackboxsv"

void ow_doctor_blackbox(struct ow_doctor *doc, const struct ow_observer *v)
{
	const struct ow_tables *t = v->d.tables;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (strncmp(t->srv[id].bin, WRITER, sizeof(t->srv[id].bin)) ==
			0 &&
		    ow_srv_alive(t, id))
			return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "black box", .found = "none",
		.meaning = "no server " WRITER " records the domain: nobody "
			   "will know what happened at 03:12",
		.cure = "<server name=\"" WRITER "\"><srvid>9980</srvid>"
			"<min>1</min></server>, then `xadmin reload`" });
}
