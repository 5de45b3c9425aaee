/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats.c - the connection to NATS: the only file that uses libnats
 *
 * What the library does by itself, and what is changed here:
 *   delivery	one thread for all subscriptions: messages of one sender
 *		come in order, whatever their subjects.
 *   flushing	each message is written at once. The library's flusher waits
 *		a millisecond for company; the bridge makes batches itself.
 *   reconnect	for ever, ten times a second. What was sent while the
 *		connection was away is written later: it carries an old
 *		session, so its receivers drop it.
 *   limits	none on messages that wait here: credits bound them.
 */
#include "servers/bridge/wire/nats.h"

#include <errno.h>
#include <nats/nats.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libatmi/log/log.h"

#define MAX_SUBJECTS 8
#define RETRY_MS     100
#define PING_MS	     2000
#define CLOSE_MS     2000

struct ow_nats {
	struct ow_nats_events ev;
	natsOptions *options;
	/* Set by whoever knows it first: natsConnection_Connect() may return
	 * after its thread has called on_up(). */
	natsConnection *_Atomic c;
	natsSubscription *subs[MAX_SUBJECTS];
	int nsubs;
	sem_t ends; /* of subscriptions */
	/* It is closed: nothing that it says counts. Its memory stays until all
	 * threads of the library have ended. */
	_Atomic bool retired;
	struct ow_nats *before; /* those that were closed before this one */
};

static void on_message(natsConnection *c, natsSubscription *sub, natsMsg *m,
		       void *arg)
{
	struct ow_nats *n = arg;

	(void)c;
	(void)sub;
	if (atomic_load(&n->retired))
		;
	else if (natsMsg_IsNoResponders(m))
		n->ev.undelivered(n->ev.arg, natsMsg_GetSubject(m));
	else
		n->ev.message(n->ev.arg, natsMsg_GetSubject(m),
			      natsMsg_GetData(m),
			      (size_t)natsMsg_GetDataLength(m));
	natsMsg_Destroy(m);
}

static void on_up(natsConnection *c, void *arg)
{
	struct ow_nats *n = arg;

	atomic_store(&n->c, c);
	if (!atomic_load(&n->retired))
		n->ev.up(n->ev.arg);
}

static void on_down(natsConnection *c, void *arg)
{
	struct ow_nats *n = arg;

	(void)c;
	if (!atomic_load(&n->retired))
		n->ev.down(n->ev.arg);
}

/* The text is the library's, whose other threads may write the next one
 * meanwhile; it always ends in its place. */
static void on_nats_error(natsConnection *c, natsSubscription *sub,
			  natsStatus s, void *arg)
{
	const char *text = NULL;

	(void)sub;
	(void)arg;
	natsConnection_GetLastError(c, &text);
	log_warn("NATS: %s: %.255s", natsStatus_GetText(s),
		 text != NULL ? text : "");
}

static void on_lame_duck(natsConnection *c, void *arg)
{
	(void)c;
	(void)arg;
	log_info("NATS: the server will stop; another one is looked for when "
		 "it does");
}

static natsStatus set_urls(natsOptions *o, const char *urls)
{
	char *copy = strdup(urls), *save = NULL, *url;
	const char *list[32];
	natsStatus s;
	int n = 0;

	if (copy == NULL)
		return NATS_NO_MEMORY;
	for (url = strtok_r(copy, ", ", &save); url != NULL && n < 32;
	     url = strtok_r(NULL, ", ", &save))
		list[n++] = url;
	s = n > 0 ? natsOptions_SetServers(o, list, n) : NATS_INVALID_ARG;
	free(copy);
	return s;
}

static natsStatus set_security(natsOptions *o, const struct ow_nats_options *w)
{
	natsStatus s = NATS_OK;

	if (w->user != NULL)
		s = natsOptions_SetUserInfo(o, w->user, w->password != NULL
							    ? w->password
							    : "");
	if (s == NATS_OK && w->creds != NULL)
		s = natsOptions_SetUserCredentialsFromFiles(o, w->creds, NULL);
	if (s == NATS_OK && (w->ca != NULL || w->cert != NULL))
		s = natsOptions_SetSecure(o, true);
	if (s == NATS_OK && w->ca != NULL)
		s = natsOptions_LoadCATrustedCertificates(o, w->ca);
	if (s == NATS_OK && w->cert != NULL)
		s = natsOptions_LoadCertificatesChain(o, w->cert, w->key);
	if (s == NATS_OK && w->is_child)
		s = natsOptions_SkipServerVerification(o, true);
	return s;
}

static natsStatus set_behaviour(struct ow_nats *n, const char *name,
				bool patient)
{
	natsOptions *o = n->options;
	natsStatus s = natsOptions_SetName(o, name);

	if (s == NATS_OK)
		s = natsOptions_UseGlobalMessageDelivery(o, true);
	if (s == NATS_OK)
		s = natsOptions_SetSendAsap(o, true);
	if (s == NATS_OK)
		s = natsOptions_SetMaxReconnect(o, -1);
	if (s == NATS_OK)
		s = natsOptions_SetReconnectWait(o, RETRY_MS);
	if (s == NATS_OK)
		s = natsOptions_SetReconnectJitter(o, RETRY_MS / 5,
						   RETRY_MS / 5);
	if (s == NATS_OK)
		s = natsOptions_SetPingInterval(o, PING_MS);
	if (s == NATS_OK)
		s = natsOptions_SetRetryOnFailedConnect(
			o, patient, patient ? on_up : NULL, n);
	if (s == NATS_OK)
		s = natsOptions_SetReconnectedCB(o, on_up, n);
	if (s == NATS_OK)
		s = natsOptions_SetDisconnectedCB(o, on_down, n);
	if (s == NATS_OK)
		s = natsOptions_SetErrorHandler(o, on_nats_error, n);
	if (s == NATS_OK)
		s = natsOptions_SetLameDuckModeCB(o, on_lame_duck, n);
	return s;
}

/* A subscription has ended, and no message of it is in hand. */
static void on_end(void *arg)
{
	struct ow_nats *n = arg;

	sem_post(&n->ends);
}

static natsStatus subscribe(struct ow_nats *n, const char *subject)
{
	natsSubscription **sub = &n->subs[n->nsubs];
	natsStatus s = natsConnection_Subscribe(sub, n->c, subject, on_message,
						n);

	if (s == NATS_OK)
		s = natsSubscription_SetOnCompleteCB(*sub, on_end, n);
	if (s == NATS_OK) {
		n->nsubs++;
		s = natsSubscription_SetPendingLimits(*sub, -1, -1);
	}
	return s;
}

/* What is given to the library before it connects. */
static natsStatus set_options(struct ow_nats *n,
			      const struct ow_nats_options *o, bool patient)
{
	natsStatus s = natsOptions_Create(&n->options);

	if (s == NATS_OK)
		s = set_urls(n->options, o->urls);
	if (s == NATS_OK)
		s = set_security(n->options, o);
	if (s == NATS_OK)
		s = set_behaviour(n, o->name, patient);
	return s;
}

static natsStatus subscribe_all(struct ow_nats *n, const char *const *subjects)
{
	natsStatus s = NATS_OK;

	for (; s == NATS_OK && *subjects != NULL && n->nsubs < MAX_SUBJECTS;
	     subjects++)
		s = subscribe(n, *subjects);
	return s;
}

static natsStatus join(struct ow_nats *n)
{
	natsConnection *c = NULL;
	natsStatus s = natsConnection_Connect(&c, n->options);

	if (c != NULL)
		atomic_store(&n->c, c);
	return s;
}

static natsStatus begin(struct ow_nats *n, const struct ow_nats_options *o,
			const char *const *subjects)
{
	natsStatus s = set_options(n, o, true);
	bool connected;

	if (s == NATS_OK)
		s = join(n);
	connected = s == NATS_OK;
	if (s == NATS_NOT_YET_CONNECTED) {
		log_warn("NATS: no server answers at %s: tried again until one "
			 "does", o->urls);
		s = NATS_OK;
	}
	if (s == NATS_OK)
		s = subscribe_all(n, subjects);
	/* The server has refused us meanwhile, which is in the log: no other
	 * end than that of a refusal that comes a moment later. */
	if (s == NATS_INVALID_SUBSCRIPTION || s == NATS_CONNECTION_CLOSED)
		s = NATS_OK;
	if (s == NATS_OK && connected)
		on_up(n->c, n);
	return s;
}

int ow_nats_open(const struct ow_nats_options *o,
		 const struct ow_nats_events *ev, const char *const *subjects,
		 struct ow_nats **ret, char *why, size_t size)
{
	struct ow_nats *n = calloc(1, sizeof(*n));
	natsStatus s = NATS_NO_MEMORY;

	if (n != NULL) {
		n->ev = *ev;
		sem_init(&n->ends, 0, 0);
		*ret = n; /* on_up() may come before this function returns */
		s = begin(n, o, subjects);
	}
	if (s == NATS_OK)
		return 0;
	snprintf(why, size, "%s: %s", o->urls, natsStatus_GetText(s));
	ow_nats_close(n);
	*ret = NULL;
	return -1;
}

/* The last text of the library about the thread that asks. */
static const char *reason(natsStatus s)
{
	natsStatus last;
	const char *text = nats_GetLastError(&last);

	return text != NULL && text[0] != '\0' ? text : natsStatus_GetText(s);
}

int ow_nats_follow(const struct ow_nats_options *o,
		   const struct ow_nats_events *ev,
		   const char *const *subjects, struct ow_nats **ret, char *why,
		   size_t size)
{
	struct ow_nats *n = calloc(1, sizeof(*n));
	natsStatus s = NATS_NO_MEMORY;

	if (n != NULL) {
		n->ev = *ev;
		sem_init(&n->ends, 0, 0);
		s = set_options(n, o, false);
		if (s == NATS_OK)
			s = join(n);
		if (s == NATS_OK)
			s = subscribe_all(n, subjects);
		if (s == NATS_OK)
			s = natsConnection_FlushTimeout(n->c, CLOSE_MS);
	}
	if (s == NATS_OK) {
		*ret = n;
		return 0;
	}
	snprintf(why, size, "%s: %s", o->urls, reason(s));
	if (n != NULL && n->c != NULL)
		ow_nats_retire(n, *ret);
	else if (n != NULL) {
		natsOptions_Destroy(n->options);
		free(n);
	}
	return -1;
}

int ow_nats_send(struct ow_nats *n, const char *subject, const char *reply,
		 const void *data, size_t len)
{
	natsStatus s = reply == NULL
			   ? natsConnection_Publish(n->c, subject, data,
						    (int)len)
			   : natsConnection_PublishRequest(n->c, subject, reply,
							   data, (int)len);

	return s == NATS_OK ? 0 : -1;
}

size_t ow_nats_largest(struct ow_nats *n)
{
	int64_t max = natsConnection_GetMaxPayload(n->c);

	return max > 0 ? (size_t)max : 0;
}

bool ow_nats_is_closed(struct ow_nats *n)
{
	return natsConnection_IsClosed(n->c);
}

static void disconnect(struct ow_nats *n)
{
	int i;

	for (i = 0; i < n->nsubs; i++)
		natsSubscription_Destroy(n->subs[i]);
	if (n->c != NULL)
		natsConnection_Destroy(n->c);
	natsOptions_Destroy(n->options);
}

/* For the end of each subscription the library gives its delivery thread a
 * message, which is lost (a leak) if that thread ends first. */
static void wait_for_ends(struct ow_nats *n)
{
	struct timespec until;
	int i;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += CLOSE_MS / 1000;
	for (i = 0; i < n->nsubs; i++)
		while (sem_clockwait(&n->ends, CLOCK_MONOTONIC, &until) != 0 &&
		       errno == EINTR)
			;
}

void ow_nats_retire(struct ow_nats *n, struct ow_nats *heir)
{
	struct ow_nats **last = &n->before;

	atomic_store(&n->retired, true);
	disconnect(n);
	while (*last != NULL)
		last = &(*last)->before;
	*last = heir->before;
	heir->before = n;
}

void ow_nats_close(struct ow_nats *n)
{
	struct ow_nats *one;

	if (n == NULL)
		return;
	if (n->c != NULL)
		natsConnection_FlushTimeout(n->c, 200);
	disconnect(n);
	wait_for_ends(n);
	/* No callback runs any more when all threads of the library end. */
	if (nats_CloseAndWait(CLOSE_MS) != NATS_OK)
		return;
	while ((one = n) != NULL) {
		n = one->before;
		free(one);
	}
}

const char *ow_nats_version(void)
{
	return nats_GetVersion();
}
