/* SPDX-License-Identifier: Apache-2.0 */
/*
 * far.c - what tmsrv of different nodes say to each other
 */
#include "libatmi/tran/far.h"

#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"

bool ow_tm_far_is(const char *data, long len)
{
	struct ow_tm m;

	if (len != (long)sizeof(struct ow_tm_far) || !ow_tm_is(data, len))
		return false;
	memcpy(&m, data, sizeof(m));
	return m.op >= OW_TM_FAR_STATUS;
}

int ow_tm_far_ask(const char *svc, struct ow_tm_far *f, int seconds)
{
	char *data = ow_buf_new(OW_BUF_CARRAY, sizeof(*f));
	long len = 0;
	int r;

	if (data == NULL)
		return ow_tp_fail(TPEOS, "no memory");
	f->m.magic = OW_TM_MAGIC;
	memcpy(data, f, sizeof(*f));
	tpsblktime(seconds, TPBLK_NEXT);
	r = tpcall((char *)svc, data, sizeof(*f), &data, &len,
		   TPNOTRAN | TPSIGRSTRT);
	if (r == 0 && ow_tm_is(data, len))
		memcpy(f, data, len < (long)sizeof(*f) ? (size_t)len
						       : sizeof(*f));
	else if (r == 0)
		r = ow_tp_fail(TPESYSTEM, "%s: not the answer of a tmsrv", svc);
	ow_buf_free(data);
	return r;
}

int ow_tm_far_ask_owner(struct ow_tm_far *f, int seconds)
{
	char svc[OW_TM_SERVICE];

	ow_tm_service_of(tpgetnodeid(), f->m.tran, svc);
	return ow_tm_far_ask(svc, f, seconds);
}
