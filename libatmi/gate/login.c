/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login.c - the gate says who stands behind a client slot
 */
#include "libatmi/gate/login.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <xatmi.h>

#include "libatmi/base/owned.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/slot.h"
#include "libatmi/call/system.h"
#include "libatmi/door/door.h"
#include "libatmi/door/passwords.h"
#include "libatmi/gate/complain.h"
#include "libatmi/gate/turns.h"
#include "libatmi/log/log.h"

/* After a wrong password. */
#define PAUSE_NS OW_NS_PER_SEC
/* A login without a deadline of its own. */
#define LIMIT_NS (60 * OW_NS_PER_SEC)

/* Rows of callers have one writer at a time. */
static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER;

static int write_down(struct ow_ctx *c, uint32_t slot,
		      const struct ow_caller *who)
{
	int r;

	pthread_mutex_lock(&write_lock);
	r = ow_callers_write(c->dom, slot, who);
	pthread_mutex_unlock(&write_lock);
	if (r == 0)
		return 0;
	return ow_tp_fail(TPEOS, "the gate cannot write down who calls: %s",
			  r < 0 ? strerror(-r) : "no shared memory");
}

int ow_gate_introduce(struct ow_ctx *c, const struct ow_gate_peer *peer)
{
	struct ow_caller who = peer->who;

	who.gen = c->gen;
	return write_down(c, c->slot, &who);
}

int ow_gate_auth(struct ow_ctx *c)
{
	return (int)(ow_rules_guards(c->dom) & OW_GUARD_AUTH);
}

/* ---- the password ---- */

static int refuse(const char *name, const struct ow_gate_peer *peer,
		  const char *why)
{
	struct timespec pause = { .tv_sec = PAUSE_NS / OW_NS_PER_SEC };
	char text[160];

	snprintf(text, sizeof(text), "login as %.31s by process %d of user %u "
		 "is refused: %s", name, (int)peer->pid, peer->who.uid, why);
	ow_guest_complain(text);
	nanosleep(&pause, NULL);
	return ow_tp_fail(TPEPERM, "user name or password is wrong");
}

static int check_password(const char *path, const char *name,
			  const char *password,
			  const struct ow_gate_peer *peer)
{
	int r;

	if (path[0] == '\0')
		return 0; /* the service alone decides */
	ow_turns_take(peer->who.uid);
	r = ow_passwords_check(path, name, password);
	if (r == OW_PASSWORDS_WRONG)
		ow_turns_suspect(peer->who.uid);
	ow_turns_end();
	if (r == 0)
		return 0;
	if (r == OW_PASSWORDS_WRONG)
		return refuse(name, peer, "wrong name or password");
	log_error("passwords: %s: %s", path,
		  r == OW_PASSWORDS_BLIND ? "libsodium is not installed"
					  : ow_owned_strerror(r));
	return ow_tp_fail(TPESYSTEM, "the gate cannot read its passwords; its "
			  "log says why");
}

/* ---- the service that decides ---- */

/* What the peer says. */
struct said {
	const struct ow_frame *f;
	const struct ow_frame_login *l;
	const char *data; /* of its TPINIT buffer */
	size_t n;	  /* bytes; 0: no datalen was set */
};

static void compose(const struct said *in, TPINIT *ret)
{
	const struct ow_frame_login *l = in->l;

	memset(ret, 0, sizeof(*ret));
	snprintf(ret->usrname, sizeof(ret->usrname), "%.31s", in->f->text);
	memcpy(ret->passwd, l->password, sizeof(ret->passwd));
	memcpy(ret->cltname, l->cltname, sizeof(ret->cltname));
	memcpy(ret->grpname, l->grpname, sizeof(ret->grpname));
	ret->flags = (long)l->flags;
	ret->data = (long)l->data;
	ret->datalen = in->n > 0 ? (long)in->n : (long)sizeof(ret->data);
}

static int ask_service(struct ow_ctx *c, const char *svc,
		       const struct ow_gate_peer *peer, const struct said *in,
		       int64_t *ret_key)
{
	struct ow_system_call q = { .svc = svc,
				    .flags = TPNOTRAN | TPSIGRSTRT,
				    .vouched = true };
	struct ow_system_answer a;
	TPINIT init;
	int r;

	compose(in, &init);
	q.deadline = ow_deadline_clamp(in->f->msg.deadline_ns,
				       ow_clock_mono_ns() + LIMIT_NS);
	ow_system_add(&q, &init, sizeof(init));
	if (in->n > sizeof(init.data)) /* `init` has the first ones */
		ow_system_add(&q, in->data + sizeof(init.data),
			      in->n - sizeof(init.data));
	r = ow_system_call(c, &q, &a);
	explicit_bzero(&init, sizeof(init));
	ow_system_done(c, &a);
	if (r == 0)
		*ret_key = a.urcode;
	if (r == 0)
		return 0;
	if (tperrno == TPESVCFAIL)
		return refuse(in->f->text, peer, "its service says no");
	log_error("service %s, which lets users in: %s", svc, ow_tp_detail());
	return ow_tp_fail(TPESYSTEM, "service %s, which lets users in, does "
			  "not answer", svc);
}

/* The password to check: of a program that gives one as data, beside that of
 * the application, where no service looks at them (`buf`); else `passwd`. */
static const char *password_of(const struct said *in,
			       const struct ow_rules_security *s,
			       char buf[OW_FRAME_NAME])
{
	size_t n = strnlen(in->data, in->n);

	if (s->auth != TPAPPAUTH || s->authsvc[0] != '\0' || in->n == 0)
		return in->l->password;
	memset(buf, 0, OW_FRAME_NAME);
	if (n < OW_FRAME_NAME) /* no password is longer */
		memcpy(buf, in->data, n);
	return buf;
}

/* ---- a login ---- */

/* Whose slot is it? 0 with slot and generation, -1 with tperrno. */
static int find_slot(struct ow_ctx *c, const struct ow_gate_peer *peer,
		     const struct ow_msg *m, uint32_t *ret_slot,
		     uint32_t *ret_gen)
{
	const struct ow_clt *clt = &c->dom->tables->clt[m->clt_slot];

	*ret_slot = c->slot;
	*ret_gen = c->gen;
	if (!peer->own || m->clt_gen == 0)
		return 0;
	*ret_slot = m->clt_slot;
	*ret_gen = m->clt_gen;
	if (m->clt_slot >= atomic_load(&c->dom->tables->head->clt_high) ||
	    atomic_load(&clt->gen) != m->clt_gen ||
	    ow_proc_id_pid(atomic_load(&clt->owner)) != peer->pid)
		return ow_tp_fail(TPEPERM, "the client slot is another "
				  "process's");
	return 0;
}

static int check(struct ow_ctx *c, struct ow_gate_peer *peer,
		 const struct said *in, struct ow_door *door)
{
	const char *name = in->f->text;
	const struct ow_rules_security *s;
	char buf[OW_FRAME_NAME] = "";
	int64_t key = 0;
	int r = ow_door_read(door, c->dom);

	if (r < 0)
		return ow_tp_fail(TPESYSTEM, "the rules cannot be read: %s",
				  strerror(-r));
	if (!ow_passwords_name_ok(name))
		return refuse("?", peer, "that is no name");
	if (door->rules == NULL)
		return 0;
	s = ow_rules_security(door->rules);
	if (s->auth == TPNOAUTH)
		return 0;
	if (s->passwords[0] == '\0' && s->authsvc[0] == '\0')
		return ow_tp_fail(TPESYSTEM, "there is no file of passwords");
	r = check_password(s->passwords, name, password_of(in, s, buf), peer);
	explicit_bzero(buf, sizeof(buf));
	if (r != 0)
		return -1;
	if (s->auth == TPAPPAUTH && s->authsvc[0] != '\0' &&
	    ask_service(c, s->authsvc, peer, in, &key) != 0)
		return -1;
	peer->who.appkey = key;
	snprintf(peer->who.login, sizeof(peer->who.login), "%.31s", name);
	return 0;
}

int ow_gate_login(struct ow_ctx *c, struct ow_gate_peer *peer,
		  const struct ow_frame *f, struct ow_frame_login *l,
		  const char *data)
{
	const struct said in = { .f = f, .l = l, .data = data,
				 .n = f->msg.len - sizeof(*l) };
	struct ow_door door = { 0 };
	struct ow_caller who;
	uint32_t slot, gen;
	int r;

	l->password[OW_FRAME_NAME - 1] = '\0';
	l->cltname[OW_FRAME_NAME - 1] = '\0';
	l->grpname[OW_FRAME_NAME - 1] = '\0';
	if (ow_slot_need(c) != 0)
		return -1;
	r = check(c, peer, &in, &door);
	ow_door_close(&door);
	if (r == 0)
		r = find_slot(c, peer, &f->msg, &slot, &gen);
	if (r != 0)
		return -1;
	log_info("process %d of user %u has logged in as %s", (int)peer->pid,
		 peer->who.uid, f->text);
	who = peer->who;
	who.gen = gen;
	return write_down(c, slot, &who);
}
