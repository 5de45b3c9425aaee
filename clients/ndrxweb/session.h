/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - who may use the console: users with a role, and their sessions
 *
 * Users are in a file of passwords (libatmi/door/passwords.h), whose names are
 * ROLE/USER; `xadmin passwd -w` writes it. A session is a random token, which
 * the browser keeps in a cookie, with a second one against forged requests. It
 * ends after eight hours, by logging out, and for all when the file changes;
 * when there are too many, who has most of them loses his oldest.
 * One thread.
 */
#ifndef OW_WEB_SESSION_H
#define OW_WEB_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ow_role {
	OW_ROLE_NONE,
	OW_ROLE_LOOK,	 /* sees all there is */
	OW_ROLE_OPERATE, /* ... and may call services */
	OW_ROLE_ADMIN,	 /* ... and may start, stop and change */
};

struct ow_session {
	char token[65], forgery[65]; /* hexadecimal; token "": free */
	char user[32];
	enum ow_role role;
	uint64_t until_ns;    /* monotonic */
	unsigned int streams; /* that are open */
};

enum ow_login {
	OW_LOGIN_WRONG = 1, /* no such user, or another password */
	OW_LOGIN_LATER = 2, /* too many tries: not even looked at */
	OW_LOGIN_CROWD = 3, /* too many sessions; one of them ends now */
	OW_LOGIN_BLIND = 4, /* libsodium cannot be loaded */
};

struct ow_sessions;

struct ow_sessions *ow_sessions_new(const char *path);
struct ow_sessions *ow_sessions_free(struct ow_sessions *s);

/* Log in from an origin (origin.h): 0 with *ret; OW_LOGIN_*; -errno of the file. */
int ow_session_login(struct ow_sessions *s, const char *from, const char *user,
		     const char *password, struct ow_session **ret);
/* The session of a token, or NULL. */
struct ow_session *ow_session_find(struct ow_sessions *s, const char *token);
void ow_session_end(struct ow_session *v);
/* Is it still the session of this token? */
bool ow_session_is(const struct ow_session *v, const char *token);
/* Are both texts the same? Takes as long if they are not. */
bool ow_session_same(const char *a, const char *b);

const char *ow_role_name(enum ow_role role);

#endif
