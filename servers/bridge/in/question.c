/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question.c - what a tmsrv of another node asks one of this node
 */
#include "servers/bridge/in/question.h"

#include <string.h>
#include <xatmi.h>

#include "libatmi/tran/far.h"

int ow_br_question_arrive(const struct ow_br_peers *ps, uint32_t node,
		     struct ow_br_frame *f, char *message)
{
	char svc[OW_TM_SERVICE];
	struct ow_tm_far far;

	if (!ow_tm_far_is(message, (long)f->total))
		return TPEINVAL;
	memcpy(&far, message, sizeof(far));
	far.from = node; /* as nats-server knows it */
	memcpy(message, &far, sizeof(far));
	if (far.m.op == OW_TM_ADOPT)
		ow_tm_service(0, svc);
	else
		ow_tm_service_of(ps->opt.node, far.m.tran, svc);
	memcpy(f->svc, svc, sizeof(f->svc));
	return 0;
}
