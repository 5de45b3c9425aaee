/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question.c - what a tmsrv of another node asks one of this node
 */
#include "servers/bridge/in/question.h"

#include <string.h>
#include <xatmi.h>

#include "libatmi/tran/remote.h"

int ow_br_question_arrive(const struct ow_br_peers *ps, uint32_t node,
		     struct ow_br_frame *f, char *message)
{
	char svc[OW_TM_SERVICE];
	struct ow_tm_remote remote;

	if (!ow_tm_remote_is(message, (long)f->total))
		return TPEINVAL;
	memcpy(&remote, message, sizeof(remote));
	remote.from = node; /* as nats-server knows it */
	memcpy(message, &remote, sizeof(remote));
	if (remote.m.op == OW_TM_ADOPT)
		ow_tm_service(0, svc);
	else
		ow_tm_service_of(ps->opt.node, remote.m.tran, svc);
	memcpy(f->svc, svc, sizeof(f->svc));
	return 0;
}
