/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tperror.c - tperrno, tpurcode and their texts, for each thread
 */
#include "libatmi/base/tperror.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tpbind.h>

#include "libatmi/base/owned.h"
#include "libatmi/base/tls.h"
#include "libubf/base/compatible.h"
#include "libubf/base/threadmem.h"

static OW_TLS_FAST struct {
	int err;
	int detailed; /* texts.detail is about it */
	long urcode;
	void *texts;
} t_last;

struct texts {
	char detail[OW_TP_DETAIL];
	char text[OW_TP_DETAIL + 64]; /* result of tpstrerror() */
};

static struct texts *texts(void)
{
	return ow_thread_memory(&t_last.texts, sizeof(struct texts));
}

static const char *const names[TPMAXVAL + 1] = {
#define NAME(err) [err] = #err
	NAME(TPMINVAL),	   NAME(TPEABORT),   NAME(TPEBADDESC),
	NAME(TPEBLOCK),	   NAME(TPEINVAL),   NAME(TPELIMIT),
	NAME(TPENOENT),	   NAME(TPEOS),	     NAME(TPEPERM),
	NAME(TPEPROTO),	   NAME(TPESVCERR),  NAME(TPESVCFAIL),
	NAME(TPESYSTEM),   NAME(TPETIME),    NAME(TPETRAN),
	NAME(TPGOTSIG),	   NAME(TPERMERR),   NAME(TPEITYPE),
	NAME(TPEOTYPE),	   NAME(TPERELEASE), NAME(TPEHAZARD),
	NAME(TPEHEURISTIC), NAME(TPEEVENT),  NAME(TPEMATCH),
	NAME(TPEDIAGNOSTIC), NAME(TPEMIB),   NAME(TPERFU26),
	NAME(TPERFU27),	   NAME(TPERFU28),   NAME(TPERFU29),
	NAME(TPINITFAIL),
#undef NAME
};

int *_exget_tperrno_addr(void)
{
	return &t_last.err;
}

long *_exget_tpurcode_addr(void)
{
	return &t_last.urcode;
}

int ow_tp_fail(int tperr, const char *fmt, ...)
{
	char text[OW_TP_DETAIL];
	int saved = errno;
	va_list ap;

	/* Into a copy first: an argument may be the old detail. */
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	memcpy(texts()->detail, text, sizeof(text));
	t_last.detailed = 1;
	t_last.err = tperr;
	if (t_last.urcode == LONG_MIN)
		t_last.urcode = 0; /* that was another error's */
	errno = saved;
	return -1;
}

void ow_tp_unbegun(void)
{
	t_last.urcode = LONG_MIN;
}

int ow_tp_fail_errno(int neg_errno, const char *what)
{
	char reason[64];

	if (neg_errno == -EPERM)
		return ow_tp_fail(TPEPERM, "%s: %s", what,
				  ow_owned_strerror(neg_errno));
	if (neg_errno == -ECANCELED)
		return ow_tp_fail(TPESYSTEM, "%s: another thread has ended the "
				  "context", what);
	return ow_tp_fail(TPEOS, "%s: %s", what,
			  strerror_r(-neg_errno, reason, sizeof(reason)));
}

void ow_tp_clear(void)
{
	t_last.err = TPMINVAL;
	t_last.detailed = 0;
}

const char *ow_tp_detail(void)
{
	return t_last.err != TPMINVAL && t_last.detailed ? texts()->detail
							 : "";
}

void ow_tp_state_take(struct ow_tp_state *s)
{
	s->err = t_last.err;
	s->detailed = t_last.detailed;
	s->urcode = t_last.urcode;
	if (s->detailed)
		memcpy(s->detail, texts()->detail, sizeof(s->detail));
	t_last.err = TPMINVAL;
	t_last.detailed = 0;
	t_last.urcode = 0;
}

void ow_tp_state_put(const struct ow_tp_state *s)
{
	t_last.err = s->err;
	t_last.detailed = s->detailed;
	t_last.urcode = s->urcode;
	if (s->detailed)
		memcpy(texts()->detail, s->detail, sizeof(s->detail));
}

char *tpecodestr(int err)
{
	if (err < 0 || err > TPMAXVAL)
		return (char *)"unknown";
	return (char *)names[err];
}

/* What tpstrerror() says, in `size` bytes. */
static void describe(int err, char *text, size_t size)
{
	if (err != TPMINVAL && err == t_last.err && t_last.detailed &&
	    texts()->detail[0] != '\0')
		snprintf(text, size, "%d:%s (last error %d: %s)", err,
			 tpecodestr(err), err, texts()->detail);
	else
		snprintf(text, size, "%d:%s", err, tpecodestr(err));
}

char *tpstrerror(int err)
{
	struct texts *t = texts();

	describe(err, t->text, sizeof(t->text));
	return t->text;
}

int tplasterror(char *text, long size, long *urcode)
{
	if (text != NULL && size > 0)
		describe(t_last.err, text, (size_t)size);
	if (urcode != NULL)
		*urcode = t_last.urcode;
	return t_last.err;
}

/* No error has a number of a detail. Programs of Tuxedo take -1 for a failure of
 * this function itself. */
int tperrordetail(long flags)
{
	if (!ow_compat_tuxedo())
		return -1;
	return flags == 0 ? TPED_MINVAL
			  : ow_tp_fail(TPEINVAL, "flags %ld are not 0", flags);
}

/* Numbers that tperrordetail() has where programs were written for. */
static const char *const details[TPED_MAXVAL + 1] = {
	[TPED_MINVAL] = "no detail",
	[TPED_SVCTIMEOUT] = "the service took longer than its time-out",
	[TPED_TERM] = "the client has left the application",
	[TPED_NOUNSOLHANDLER] = "the client has no handler for messages",
	[TPED_NOCLIENT] = "there is no such client",
	[TPED_DOMAINUNREACHABLE] = "the other domain cannot be reached",
	[TPED_CLIENTDISCONNECTED] = "the client is not connected",
	[TPED_PERM] = "no permission",
	[TPED_OTS_INTERNAL] = "the transaction service failed",
	[TPED_INVALID_CERTIFICATE] = "the certificate is not valid",
	[TPED_INVALID_SIGNATURE] = "the signature is not valid",
	[TPED_DECRYPTION_FAILURE] = "the buffer cannot be decrypted",
	[TPED_INVALIDCONTEXT] = "the context is not valid",
	[TPED_INVALID_XA_TRANSACTION] = "the transaction is not valid",
};

char *tpstrerrordetail(int err, long flags)
{
	if (!ow_compat_tuxedo())
		return tpstrerror(err);
	return err < TPED_MINVAL || err > TPED_MAXVAL ? NULL
						      : (char *)details[err];
}
