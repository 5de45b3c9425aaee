/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - one command to ndrxd, with its replies
 */
#include "libndrx/observe/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/gate.h"
#include "libatmi/domain/orderer.h"
#include "libatmi/log/setting.h"

/* Longest silence; starting and stopping servers takes longer. */
#define QUERY_MS 30000
#define WORK_MS	 300000
#define PING_MS	   5000 /* silence before a ping; time-out of the ping */
#define CONNECT_MS 5000 /* for a full backlog: ndrxd lives and is busy */

static const bool works[OW_VERB_END] = {
	[OW_VERB_START] = true,	  [OW_VERB_STOP] = true,
	[OW_VERB_RESTART] = true, [OW_VERB_SRELOAD] = true,
	[OW_VERB_RELOAD] = true,  [OW_VERB_CAT] = true,
};

static int silence_ms(const struct ow_command_order *c)
{
	uint64_t ms = works[c->verb] ? WORK_MS : QUERY_MS;

	if (c->silence_ms > 0)
		return c->silence_ms;
	if (ow_setting_ms("NDRX_XADMINTOUT", ms, &ms) != 0 || ms == 0)
		ms = QUERY_MS;
	return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

static bool is_reply(uint32_t kind)
{
	return kind == OW_CTL_EVENT || kind == OW_CTL_ROW ||
	       kind == OW_CTL_CLIENT || kind == OW_CTL_GROUP;
}

/* As a guest, if NDRX_OWNER names another user (domain/gate.h). */
static int open_as_guest(const struct ow_domain *d, struct ow_command_link *ret)
{
	int r = ow_gate_connect(d, OW_GATE_CONTROL, SOCK_SEQPACKET, &ret->fd,
				ret->why, sizeof(ret->why));

	if (r == 0)
		fcntl(ret->fd, F_SETFL, O_NONBLOCK);
	return r;
}

int ow_command_open(const struct ow_domain *d, struct ow_command_link *ret)
{
	uint64_t end = ow_clock_mono_ns() + CONNECT_MS * OW_NS_PER_MS;
	int fd;

	*ret = (struct ow_command_link){ .domain = d, .fd = -1 };
	fd = open_as_guest(d, ret);
	if (fd == OW_GATE_ABSENT)
		return OW_COMMAND_ABSENT;
	if (fd != OW_GATE_UNASKED)
		return fd;
	for (;;) {
		fd = ow_domain_connect(d);
		if (fd != -EAGAIN || ow_clock_mono_ns() >= end)
			break;
		poll(NULL, 0, 5); /* there is no event to wait for */
	}
	if (fd == -ENOENT || fd == -ECONNREFUSED || fd == -ENOTDIR)
		return OW_COMMAND_ABSENT;
	if (fd < 0)
		return fd;
	ret->fd = fd;
	return 0;
}

void ow_command_close(struct ow_command_link *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

/* Wait for `events`; 0, -ETIMEDOUT, -EINTR. */
static int wait_fd(int fd, short events, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n = poll(&p, 1, timeout_ms);

	if (n < 0)
		return -errno;
	return n == 0 ? -ETIMEDOUT : 0;
}

static int send_cmd(struct ow_command_link *r, const struct ow_command_order *c)
{
	union ow_ctl_msg m;
	char words[200];
	int res;

	ow_ctl_init(&m, OW_CTL_CMD, ++r->seq);
	m.cmd.verb = c->verb;
	m.cmd.flags = c->flags;
	m.cmd.srvid = c->srvid;
	m.cmd.domain = ow_ctl_domain(r->domain->prefix);
	if ((c->name != NULL && strlen(c->name) >= sizeof(m.cmd.name)) ||
	    (c->text != NULL && strlen(c->text) >= sizeof(m.cmd.text)))
		return -E2BIG;
	if (c->name != NULL)
		strcpy(m.cmd.name, c->name);
	if (c->text != NULL)
		strcpy(m.cmd.text, c->text);
	ow_orderer_words(getpid(), words, sizeof(words));
	ow_ctl_set_words(&m.cmd, words);
	for (;;) {
		res = ow_ctl_send(r->fd, &m);
		if (res == -EAGAIN)
			res = wait_fd(r->fd, POLLOUT, silence_ms(c));
		else
			return res == -EPIPE ? -ENOTCONN : res;
		if (res < 0)
			return res;
	}
}

/* Ping ndrxd over a second connection: 0, -ETIMEDOUT, or a failure that `r`
 * will show too. */
static int ping(const struct ow_command_link *r)
{
	struct ow_command_order c = { .verb = OW_VERB_PING,
				      .silence_ms = PING_MS };
	struct ow_command_link other = { .fd = -1 };
	struct ow_ctl_done done;
	int res = ow_command_open(r->domain, &other);

	if (res == 0)
		res = ow_command_call(&other, &c, &done);
	ow_command_close(&other);
	return res;
}

/* Wait for a packet; 0, -ETIMEDOUT, -EINTR. */
static int wait_packet(const struct ow_command_link *r,
		     const struct ow_command_order *cmd)
{
	int left = silence_ms(cmd), res;

	if (!works[cmd->verb])
		return wait_fd(r->fd, POLLIN, left);
	for (; left > 0; left -= PING_MS) {
		res = wait_fd(r->fd, POLLIN, left < PING_MS ? left : PING_MS);
		if (res != -ETIMEDOUT || left <= PING_MS ||
		    ping(r) == -ETIMEDOUT)
			return res;
	}
	return -ETIMEDOUT;
}

int ow_command_call(struct ow_command_link *r,
		    const struct ow_command_order *cmd,
		    struct ow_ctl_done *ret_done)
{
	union ow_ctl_msg m;
	int res = send_cmd(r, cmd);

	while (res == 0) {
		res = wait_packet(r, cmd);
		if (res == 0)
			res = ow_ctl_recv(r->fd, &m);
		if (res == -EAGAIN) {
			res = 0;
			continue;
		}
		/* A reply to an earlier command that timed out. */
		if (res != 0 || m.h.seq != r->seq)
			continue;
		if (m.h.kind == OW_CTL_DONE) {
			*ret_done = m.done;
			return 0;
		}
		if (cmd->on_reply != NULL && is_reply(m.h.kind))
			cmd->on_reply(&m, cmd->arg);
	}
	return res;
}

int ow_command_wait_end(struct ow_command_link *r, int timeout_ms)
{
	pid_t pid = ow_command_pid(r);
	int fd, res;

	if (pid <= 0)
		return 0;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return errno == ESRCH ? 0 : -errno;
	do {
		res = wait_fd(fd, POLLIN, timeout_ms);
	} while (res == -EINTR);
	close(fd);
	return res;
}

pid_t ow_command_pid(const struct ow_command_link *r)
{
	struct ucred c;
	socklen_t len = sizeof(c);

	if (getsockopt(r->fd, SOL_SOCKET, SO_PEERCRED, &c, &len) < 0)
		return 0;
	return c.pid;
}

const char *ow_command_strerror(int r)
{
	switch (r) {
	case OW_COMMAND_ABSENT:
		return "ndrxd is not running: `xadmin start -y` starts it";
	case -ETIMEDOUT:
		return "ndrxd did not reply in time (NDRX_XADMINTOUT); the "
		       "command may still go on: see `xadmin ppm`. If ndrxd "
		       "hangs, `xadmin down -y` ends the domain";
	case -ENOTCONN:
		return "ndrxd ended during the command";
	case -EBADMSG:
		return "the reply of ndrxd is malformed: is it of the same "
		       "version?";
	case -E2BIG:
		return "name or value too long";
	case -EINTR:
		return "interrupted; ndrxd goes on with the command";
	default:
		return ow_owned_strerror(r);
	}
}
