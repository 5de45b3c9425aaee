/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.h - sockets that other users may reach, and who they are
 *
 * A process of the domain's user listens in <shm>/<prefix>,gate/ (ndrxgate:
 * "call"; ndrxd: "control"). A guest, a process of another user, connects when
 * NDRX_OWNER names the domain's user. Both sides look at what the kernel says
 * about the other. doc/design/trust.md, "Guests".
 */
#ifndef OW_GATE_H
#define OW_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ow_domain;

#define OW_GATE_CALL	"call"	  /* SOCK_STREAM */
#define OW_GATE_CONTROL "control" /* SOCK_SEQPACKET */
#define OW_GATE_ANY	((gid_t)-1)
#define OW_GATE_OWNER	((gid_t)-2) /* nobody but the domain's user */

/* Who is at the other end of a connection: as of connect(). */
struct ow_guest_id {
	uid_t uid;
	gid_t gid;
	pid_t pid;
	gid_t *groups; /* supplementary; malloc'ed */
	size_t n_groups;
};

enum ow_gate_result {
	OW_GATE_ABSENT = 1, /* no such domain, or it has no gate */
	OW_GATE_UNASKED = 2, /* NDRX_OWNER is not set, or names this user */
};

/*
 * Listen on socket `name` of the gate folder, which is made. Members of
 * `group` alone can connect if this user is one of them, else everybody can
 * (OW_GATE_ANY: everybody); the caller checks each. A close-on-exec,
 * non-blocking descriptor, -EPERM (owned.h), -errno.
 */
int ow_gate_listen(const struct ow_domain *d, const char *name, int type,
		   gid_t group);
/* Remove the socket's name, and the folder if it is empty. */
void ow_gate_unlisten(const struct ow_domain *d, const char *name);

/* Does NDRX_OWNER name another user? */
bool ow_gate_is_asked(void);
/*
 * Connect as a guest. A close-on-exec, blocking descriptor; or ABSENT,
 * UNASKED, -errno. The reason in `why`, unless UNASKED. *ret_fd is set on 0.
 */
int ow_gate_connect(const struct ow_domain *d, const char *name, int type,
		    int *ret_fd, char *why, size_t size);

/* The same to a gate of this user's own domain; -ENOENT, -ECONNREFUSED: none
 * listens. */
int ow_gate_connect_own(const struct ow_domain *d, const char *name, int type,
			int *ret_fd, char *why, size_t size);

/* Who is at the other end? 0 or -errno. */
int ow_guest_identify(int fd, struct ow_guest_id *ret);
void ow_guest_forget(struct ow_guest_id *id);
/* Was the guest a member of the group when it connected? */
bool ow_guest_in_group(const struct ow_guest_id *id, gid_t group);

/* The number of the group `name`; a name of digits is the number. 0 or
 * -ENOENT. */
int ow_guest_group_find(const char *name, gid_t *ret);

#endif
