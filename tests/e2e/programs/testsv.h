/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testsv.h - what the files of the test server share
 */
#ifndef TESTSV_H
#define TESTSV_H

#include <xatmi.h>

/* The text of a request. */
static inline const char *text(const TPSVCINFO *s)
{
	return s->data != NULL ? s->data : "";
}

/* Return text as a STRING buffer. */
void answer(int rval, long rcode, const char *s);
void answer_number(long n);

/* testsv_buffers.c */
void svc_answer(TPSVCINFO *s);
void svc_big(TPSVCINFO *s);
void svc_decrypt(TPSVCINFO *s);
void svc_encrypt(TPSVCINFO *s);
void svc_fwdpoints(TPSVCINFO *s);
void svc_info(TPSVCINFO *s);
void svc_infoof(TPSVCINFO *s);
void svc_points(TPSVCINFO *s);
void svc_setinfo(TPSVCINFO *s);
void svc_ubfof(TPSVCINFO *s);
void svc_upper(TPSVCINFO *s);
void svc_view(TPSVCINFO *s);

/* testsv_door.c */
void svc_letin(TPSVCINFO *s);
void svc_appkey(TPSVCINFO *s);
void svc_aside(TPSVCINFO *s);
void svc_anyof(TPSVCINFO *s);
void svc_childcall(TPSVCINFO *s);
void svc_callfor(TPSVCINFO *s);
void svc_whocalls(TPSVCINFO *s);
void svc_timeleft(TPSVCINFO *s);

/* testsv_logs.c */
void svc_logreq(TPSVCINFO *s);
void svc_namefile(TPSVCINFO *s);
void svc_print(TPSVCINFO *s);
void svc_say(TPSVCINFO *s);

/* testsv_system.c */
void svc_env(TPSVCINFO *s);
void svc_execfds(TPSVCINFO *s);
void svc_fds(TPSVCINFO *s);
void svc_fork(TPSVCINFO *s);
void svc_forkstay(TPSVCINFO *s);
void svc_forkreturn(TPSVCINFO *s);
void svc_pid(TPSVCINFO *s);
void svc_srvid(TPSVCINFO *s);

/* testsv_unsol.c */
void svc_keepid(TPSVCINFO *s);
void svc_listen(TPSVCINFO *s);
void svc_notify(TPSVCINFO *s);
void svc_subscribe(TPSVCINFO *s);
void svc_tell(TPSVCINFO *s);
void svc_unsubscribe(TPSVCINFO *s);

#endif
