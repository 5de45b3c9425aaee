/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - who may use the console: users with a role, and their sessions
 *
 * A password costs a quarter of a second of CPU, so there are two tries a
 * second for all who have just tried, two for those who have not, and after five
 * wrong ones of a user from an origin, none for half a minute.
 */
#include "clients/ndrxweb/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "libatmi/base/clock.h"
#include "libatmi/door/passwords.h"
#include "libubf/base/crc32.h"

#define SESSIONS 64u
#define LIFE_NS	 (8 * 3600 * OW_NS_PER_SEC)
#define PAUSE_NS (OW_NS_PER_SEC / 2)
#define TRIES	 5u
#define LOCK_NS	 (30 * OW_NS_PER_SEC)
#define FAILED	 64u
#define ORIGINS	 64u
#define RECENT_NS (10 * OW_NS_PER_SEC)

struct failed {
	uint32_t who; /* CRC of origin and user */
	unsigned int n;
	uint64_t last_ns;
};

struct origin {
	uint32_t who; /* CRC of it */
	uint64_t last_ns; /* of the last try that was looked at */
};

struct ow_sessions {
	char path[512];
	struct stat file; /* as the sessions know it */
	/* Of the last try from an origin that had tried just before (1), of the last
	 * one of another (0): who guesses is not in the way of who comes. */
	uint64_t try_ns[2];
	struct origin origins[ORIGINS];
	struct failed failed[FAILED];
	struct ow_session v[SESSIONS];
};

const char *ow_role_name(enum ow_role role)
{
	static const char *const names[] = { "none", "look", "operate",
					     "admin" };

	return names[role];
}

struct ow_sessions *ow_sessions_new(const char *path)
{
	struct ow_sessions *s = calloc(1, sizeof(*s));

	if (s != NULL)
		snprintf(s->path, sizeof(s->path), "%s", path);
	return s;
}

struct ow_sessions *ow_sessions_free(struct ow_sessions *s)
{
	if (s != NULL)
		explicit_bzero(s, sizeof(*s));
	free(s);
	return NULL;
}

static bool random_text(char *buf)
{
	unsigned char bytes[32];
	size_t i;

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return false;
	for (i = 0; i < sizeof(bytes); i++)
		sprintf(buf + 2 * i, "%02x", bytes[i]);
	return true;
}

bool ow_session_same(const char *a, const char *b)
{
	size_t i, n = strlen(a);
	unsigned char other = 0;

	if (strlen(b) != n)
		return false;
	for (i = 0; i < n; i++)
		other |= (unsigned char)(a[i] ^ b[i]);
	return other == 0;
}

/* ---- tries ---- */

static struct failed *find_failed(struct ow_sessions *s, uint32_t who)
{
	struct failed *f, *oldest = s->failed;

	for (f = s->failed; f < s->failed + FAILED; f++) {
		if (f->n > 0 && f->who == who)
			return f;
		if (f->last_ns < oldest->last_ns)
			oldest = f;
	}
	memset(oldest, 0, sizeof(*oldest));
	oldest->who = who;
	return oldest;
}

static struct origin *find_origin(struct ow_sessions *s, uint32_t who)
{
	struct origin *o, *oldest = s->origins;

	for (o = s->origins; o < s->origins + ORIGINS; o++) {
		if (o->last_ns != 0 && o->who == who)
			return o;
		if (o->last_ns < oldest->last_ns)
			oldest = o;
	}
	*oldest = (struct origin){ .who = who };
	return oldest;
}

/* ---- users ---- */

struct wanted {
	const char *user;
	char entry[48];
	enum ow_role role;
};

static void look_for(const char *name, void *arg)
{
	struct wanted *w = arg;
	char entry[48];
	int r;

	for (r = OW_ROLE_LOOK; r <= OW_ROLE_ADMIN; r++) {
		snprintf(entry, sizeof(entry), "%s/%s",
			 ow_role_name((enum ow_role)r), w->user);
		if (strcmp(entry, name) == 0) {
			memcpy(w->entry, entry, sizeof(entry));
			w->role = (enum ow_role)r;
		}
	}
}

static int check(struct ow_sessions *s, const char *user, const char *password,
		 enum ow_role *ret)
{
	struct wanted w = { .user = user, .entry = "look/?" };
	int r = ow_passwords_each(s->path, look_for, &w);

	if (r != 0)
		return r;
	/* Takes as long for a user that is not there. */
	r = ow_passwords_check(s->path, w.entry, password);
	*ret = w.role;
	return r == OW_PASSWORDS_BLIND ? OW_LOGIN_BLIND
	       : r == 0 && w.role == OW_ROLE_NONE ? OW_LOGIN_WRONG
	       : r == OW_PASSWORDS_WRONG ? OW_LOGIN_WRONG
					 : r;
}

/* Has the file changed? Then nobody is logged in any more. */
static void follow_file(struct ow_sessions *s)
{
	struct stat st = { 0 };
	unsigned int i;

	(void)stat(s->path, &st);
	if (st.st_ino == s->file.st_ino && st.st_size == s->file.st_size &&
	    st.st_mtim.tv_sec == s->file.st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == s->file.st_mtim.tv_nsec)
		return;
	s->file = st;
	for (i = 0; i < SESSIONS; i++)
		ow_session_end(&s->v[i]);
}

static unsigned int count_of(const struct ow_sessions *s, const char *user)
{
	const struct ow_session *v;
	unsigned int n = 0;

	for (v = s->v; v < s->v + SESSIONS; v++)
		n += v->token[0] != '\0' && strcmp(v->user, user) == 0;
	return n;
}

/* All places are taken: who has most of them loses his oldest session, so that
 * nobody shuts the others out. */
static void make_room(struct ow_sessions *s)
{
	struct ow_session *v, *gives = NULL;
	unsigned int n, most = 0;

	for (v = s->v; v < s->v + SESSIONS; v++) {
		n = v->token[0] != '\0' ? count_of(s, v->user) : 0;
		if (n > most || (n > 0 && n == most &&
				 v->until_ns < gives->until_ns)) {
			most = n;
			gives = v;
		}
	}
	if (gives != NULL)
		ow_session_end(gives);
}

static struct ow_session *find_place(struct ow_sessions *s)
{
	uint64_t now = ow_clock_mono_ns();
	struct ow_session *v;

	for (v = s->v; v < s->v + SESSIONS; v++)
		if ((v->token[0] == '\0' || v->until_ns < now) &&
		    v->streams == 0)
			return v;
	return NULL;
}

static struct ow_session *new_session(struct ow_sessions *s, const char *user,
				      enum ow_role role)
{
	struct ow_session *v = find_place(s);

	if (v == NULL) {
		make_room(s);
		v = find_place(s);
	}
	if (v == NULL) /* its streams are about to end */
		return NULL;
	ow_session_end(v);
	if (!random_text(v->forgery) || !random_text(v->token)) {
		v->token[0] = '\0';
		return NULL;
	}
	snprintf(v->user, sizeof(v->user), "%s", user);
	v->role = role;
	v->until_ns = ow_clock_mono_ns() + LIFE_NS;
	return v;
}

int ow_session_login(struct ow_sessions *s, const char *from, const char *user,
		     const char *password, struct ow_session **ret)
{
	uint64_t now = ow_clock_mono_ns();
	enum ow_role role = OW_ROLE_NONE;
	struct origin *o = find_origin(s, ow_crc32(from, strlen(from)));
	bool again = o->last_ns != 0 && now - o->last_ns < RECENT_NS;
	struct failed *f;
	char who[128];
	int r;

	snprintf(who, sizeof(who), "%s %s", from, user);
	f = find_failed(s, ow_crc32(who, strlen(who)));
	if (f->n >= TRIES && now - f->last_ns < LOCK_NS)
		return OW_LOGIN_LATER;
	if (s->try_ns[again] != 0 && now - s->try_ns[again] < PAUSE_NS)
		return OW_LOGIN_LATER;
	follow_file(s);
	r = check(s, user, password, &role);
	o->last_ns = s->try_ns[1] = ow_clock_mono_ns(); /* it may have taken long */
	if (!again)
		s->try_ns[0] = s->try_ns[1];
	if (r == OW_LOGIN_WRONG) {
		f->n = f->n >= TRIES ? 1 : f->n + 1;
		f->last_ns = now;
	}
	if (r != 0)
		return r;
	f->n = 0;
	*ret = new_session(s, user, role);
	return *ret != NULL ? 0 : OW_LOGIN_CROWD;
}

struct ow_session *ow_session_find(struct ow_sessions *s, const char *token)
{
	uint64_t now = ow_clock_mono_ns();
	struct ow_session *v;

	follow_file(s);
	if (strlen(token) != 64)
		return NULL;
	for (v = s->v; v < s->v + SESSIONS; v++)
		if (v->token[0] != '\0' && v->until_ns > now &&
		    ow_session_same(v->token, token))
			return v;
	return NULL;
}

void ow_session_end(struct ow_session *v)
{
	unsigned int streams = v->streams;

	explicit_bzero(v, sizeof(*v));
	v->streams = streams; /* they find that it has ended */
}

bool ow_session_is(const struct ow_session *v, const char *token)
{
	return v->token[0] != '\0' && v->until_ns > ow_clock_mono_ns() &&
	       ow_session_same(v->token, token);
}
