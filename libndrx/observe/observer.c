/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observer.c - read the shared tables as an onlooker
 */
#include "libndrx/observe/observer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/nameless.h"
#include "libatmi/domain/namespace.h"
#include "libatmi/door/callers.h"
#include "libubf/base/printable.h"
#include "libatmi/member/join.h"
#include "libatmi/transport/mail/mailbox.h"
#include "libatmi/transport/transport.h"
#include "libatmi/wire/ctl.h"

bool ow_observer_foreign(const struct ow_domain *d, char *why, size_t size)
{
	struct ow_tables *t = NULL;
	char path[160];
	int r;

	ow_domain_folder(d, path, sizeof(path));
	r = ow_owned_folder_owner(path);
	if (r == -EPERM) {
		snprintf(why, size, "%s", ow_owned_strerror(r));
		return true;
	}
	ow_domain_shm_path(d, "tables", path, sizeof(path));
	r = r == 0 ? ow_tables_open(path, false, &t) : 0;
	ow_tables_close(t);
	if (r != OW_TABLES_APART && r != OW_TABLES_BLIND)
		return false;
	ow_namespace_say(r, path, why, size);
	return true;
}

static void explain(int r, const char *path, char *why, size_t size)
{
	if (r == OW_TABLES_FOREIGN)
		snprintf(why, size, "%s is not of this version (damaged, of "
				    "another release, or from before a "
				    "reboot): `xadmin down -y` clears it "
				    "away", path);
	else if (r == OW_TABLES_APART || r == OW_TABLES_BLIND)
		ow_namespace_say(r, path, why, size);
	else if (r == -EPERM) /* names the path */
		snprintf(why, size, "%s", ow_owned_strerror(r));
	else
		snprintf(why, size, "%s: %s", path,
			 r < 0 ? strerror(-r) : "no room");
}

static void explain_absence(const struct ow_domain *d, const char *path,
			    char *why, size_t size)
{
	pid_t pid = ow_nameless_find(d);

	if (pid > 0)
		ow_nameless_say(d, pid, why, size);
	else
		snprintf(why, size, "no such domain: %s is not there; `xadmin "
				    "start -y` starts one", path);
}

int ow_observer_open(struct ow_observer *ret, char *why, size_t size)
{
	char path[256];
	int r = ow_domain_read_env(&ret->d, why, size);

	if (r != 0)
		return r;
	ow_domain_shm_path(&ret->d, "tables", path, sizeof(path));
	r = ow_domain_enter(&ret->d, false);
	if (r == 0)
		r = ow_tables_open(path, false, &ret->d.tables);
	else if (r == -ENOENT)
		r = OW_TABLES_ABSENT;
	if (r == OW_TABLES_ABSENT)
		explain_absence(&ret->d, path, why, size);
	else if (r != 0)
		explain(r, path, why, size);
	else
		ow_domain_learn(&ret->d);
	if (r == 0 && atomic_load(&ret->d.tables->head->caches) != 0)
		(void)ow_cache_need(&ret->d, false); /* else no figures */
	return r;
}

void ow_observer_close(struct ow_observer *v)
{
	ow_mail_unmap(&v->d);
	ow_callers_unmap(&v->d);
	ow_cache_unmap(&v->d);
	v->d.tables = ow_tables_close(v->d.tables);
}

void ow_observer_text(char *dst, const char *src, size_t size)
{
	memcpy(dst, src, size);
	dst[size - 1] = '\0';
	ow_printable(dst);
}

static uint32_t capped(uint32_t n, uint32_t max)
{
	return n < max ? n : max;
}

bool ow_observer_step(char *buf, size_t size)
{
	char why[512], step[OW_STEP_MAX];
	struct ow_observer v;

	if (ow_observer_open(&v, why, sizeof(why)) != 0)
		return false;
	ow_observer_text(step, v.d.tables->head->step, sizeof(step));
	snprintf(buf, size, "transport %s, %s", v.d.transport->name, step);
	ow_observer_close(&v);
	return step[0] != '\0';
}

uint32_t ow_observer_services(const struct ow_observer *v)
{
	return capped(atomic_load(&v->d.tables->head->nsvc), OW_SVC_MAX);
}

static const struct ow_svc *service_at(const struct ow_observer *v, uint32_t at,
				       char *buf)
{
	const struct ow_svc *s;

	if (at >= OW_SVC_MAX)
		return NULL;
	s = &v->d.tables->svc[at];
	if (atomic_load(&s->used) == 0)
		return NULL;
	ow_observer_text(buf, s->name, OW_SVC_NAME);
	return s;
}

const struct ow_svc *ow_observer_service(const struct ow_observer *v,
					 uint32_t i, char *buf)
{
	return service_at(v, atomic_load(&v->d.tables->head->svc_list[i]),
			  buf);
}

bool ow_observer_cache(const struct ow_observer *v, const char *service,
		       struct ow_cache_figures *ret)
{
	return ow_cache_figures(&v->d, service, ret);
}

uint32_t ow_observer_servers(const struct ow_observer *v,
			     const struct ow_svc *s, bool *ret_remote)
{
	uint32_t n = ow_svc_servers(s);
	int at;

	*ret_remote = false;
	if (n > 0 || (atomic_load(&s->marks) & OW_SVC_REMOTE) == 0)
		return n;
	at = ow_svc_find(v->d.tables, OW_SVC_OVERFLOW);
	n = at < 0 ? 0 : ow_svc_servers(&v->d.tables->svc[at]);
	*ret_remote = n > 0;
	return n;
}

bool ow_observer_suspended(const struct ow_svc *s)
{
	return (atomic_load(&s->marks) & OW_SVC_SUSPENDED) != 0;
}

bool ow_observer_has_queue(const struct ow_svc *s)
{
	return (atomic_load(&s->gen) & 1) != 0;
}

bool ow_observer_depth(const struct ow_observer *v, const char *service,
		       uint32_t *ret)
{
	struct ow_domain d = v->d;

	return ow_queue_peek(&d, ow_service_queue(service), ret) == 0;
}

const char *ow_observer_bin(const struct ow_observer *v, uint32_t srvid,
			    char *buf)
{
	const struct ow_srv *s = &v->d.tables->srv[srvid];
	uint32_t thread = atomic_load(&s->thread);
	size_t n;

	ow_observer_text(buf, s->bin, 64);
	n = strlen(buf);
	if (thread != 0)
		snprintf(buf + (n < 56 ? n : 56), 8, "/%u", thread % 1000000);
	return buf;
}

uint32_t ow_observer_srvid(const struct ow_observer *v, uint32_t srvid)
{
	uint32_t of = atomic_load(&v->d.tables->srv[srvid].of);

	return of != 0 ? of : srvid;
}

uint32_t ow_observer_rows(const struct ow_observer *v, uint32_t srvid)
{
	return capped(atomic_load(&v->d.tables->srv[srvid].nadv), OW_ADV_MAX);
}

const struct ow_svc *ow_observer_row_service(const struct ow_observer *v,
					     uint32_t srvid, uint32_t row,
					     char *buf)
{
	uint32_t at = atomic_load(&ow_tables_adv(v->d.tables, srvid)[row].svc);

	return at == 0 ? NULL : service_at(v, at - 1, buf);
}

uint32_t ow_observer_clients(const struct ow_observer *v)
{
	return capped(atomic_load(&v->d.tables->head->clt_high), OW_CLT_MAX);
}

bool ow_observer_client(const struct ow_observer *v, uint32_t slot)
{
	return (atomic_load(&v->d.tables->clt[slot].gen) & 1) != 0;
}

uint64_t ow_observer_request_age_us(const struct ow_observer *v, uint32_t srvid)
{
	const struct ow_srv *s = &v->d.tables->srv[srvid];
	uint64_t since = atomic_load(&s->cur_since);
	uint64_t now = ow_clock_mono_ns();

	if (atomic_load(&s->cur_adv) == 0 || since == 0 || since > now ||
	    !ow_srv_alive(v->d.tables, srvid))
		return 0;
	/* The two words are not read at once: is it still this request? */
	return atomic_load(&s->cur_since) == since
		   ? (now - since) / OW_NS_PER_US : 0;
}

bool ow_observer_waits(const struct ow_observer *v, uint32_t srvid)
{
	const struct ow_clt *c;
	uint32_t i;

	for (i = 0; i < ow_observer_clients(v); i++) {
		c = &v->d.tables->clt[i];
		if (ow_observer_client(v, i) && c->srvid == srvid &&
		    atomic_load(&c->outstanding) > 0)
			return true;
	}
	return false;
}

uint32_t ow_observer_open_calls(const struct ow_observer *v)
{
	const struct ow_clt *c;
	uint32_t i, n = 0;

	for (i = 0; i < ow_observer_clients(v); i++) {
		c = &v->d.tables->clt[i];
		if (ow_observer_client(v, i) &&
		    ow_proc_id_alive(atomic_load(&c->owner)))
			n += atomic_load(&c->outstanding);
	}
	return n;
}

bool ow_observer_missing(const struct ow_observer *v, uint32_t srvid,
			 bool *ret_given_up)
{
	const struct ow_srv *s = &v->d.tables->srv[srvid];
	uint32_t state = atomic_load(&s->ctl_state);
	bool want = atomic_load(&s->ctl_want) != 0;

	/* A given-up server is not wanted any more, and keeps its state. */
	if (state == OW_PROC_WAITING ||
	    (!want && (state == OW_PROC_NOT_STARTED ||
		       state == OW_PROC_EXITED || state == OW_PROC_STOPPING)) ||
	    ow_srv_is_thread(v->d.tables, srvid) ||
	    ow_srv_alive(v->d.tables, srvid))
		return false;
	*ret_given_up = !want;
	return true;
}

char *ow_observer_end(int32_t status, char *buf, size_t size)
{
	buf[0] = '\0';
	if (WIFSIGNALED(status))
		snprintf(buf, size, "%s%s", strsignal(WTERMSIG(status)),
			 WCOREDUMP(status) ? ", core" : "");
	else if (WEXITSTATUS(status) != 0)
		snprintf(buf, size, "exit %d", WEXITSTATUS(status));
	return buf;
}

uint32_t ow_observer_alive(const struct ow_observer *v)
{
	const struct ow_tables *t = v->d.tables;
	uint32_t id, n = 0;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		n += !ow_srv_is_thread(t, id) && ow_srv_alive(t, id);
	return n;
}

int32_t ow_observer_ndrxd(const struct ow_observer *v)
{
	const struct ow_tables_head *h = v->d.tables->head;
	int32_t pid = atomic_load(&h->ndrxd_pid);

	return ow_proc_alive(pid, atomic_load(&h->ndrxd_start)) ? pid : 0;
}
