/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.c - compose, check and name the packets of the control plane
 */
#include "libatmi/wire/ctl.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libubf/base/crc32.h"

/* Packet size of each kind; 0: no such kind. */
static const uint32_t kind_size[OW_CTL_KIND_END] = {
	[OW_CTL_HELLO] = sizeof(struct ow_ctl_hello),
	[OW_CTL_READY] = sizeof(struct ow_ctl_head),
	[OW_CTL_LEAVING] = sizeof(struct ow_ctl_head),
	[OW_CTL_PONG] = sizeof(struct ow_ctl_head),
	[OW_CTL_PING] = sizeof(struct ow_ctl_head),
	[OW_CTL_STOP] = sizeof(struct ow_ctl_head),
	[OW_CTL_NUDGE] = sizeof(struct ow_ctl_head),
	[OW_CTL_ADV] = sizeof(struct ow_ctl_name),
	[OW_CTL_UNADV] = sizeof(struct ow_ctl_name),
	[OW_CTL_CMD] = sizeof(struct ow_ctl_cmd),
	[OW_CTL_EVENT] = sizeof(struct ow_ctl_event),
	[OW_CTL_ROW] = sizeof(struct ow_ctl_row),
	[OW_CTL_DONE] = sizeof(struct ow_ctl_done),
	[OW_CTL_CLIENT] = sizeof(struct ow_ctl_client),
	[OW_CTL_GROUP] = sizeof(struct ow_ctl_group),
};

static const char *const kind_names[OW_CTL_KIND_END] = {
	[OW_CTL_NONE] = "NONE",
#define X(name) [OW_CTL_##name] = #name,
	OW_CTL_KINDS(X)
#undef X
};

static const struct {
	const char *word, *text;
} proc_states[OW_PROC_STATE_END] = {
#define X(name, w, t) [OW_PROC_##name] = { w, t },
	OW_PROC_STATES(X)
#undef X
};

static const char *const verb_words[OW_VERB_END] = {
	[OW_VERB_NONE] = "",
#define X(name, word) [OW_VERB_##name] = word,
	OW_CTL_VERBS(X)
#undef X
};

void ow_ctl_init(union ow_ctl_msg *m, enum ow_ctl_kind kind, uint32_t seq)
{
	memset(m, 0, kind_size[kind]);
	m->h.magic = OW_CTL_MAGIC;
	m->h.version = OW_CTL_VERSION;
	m->h.kind = (uint16_t)kind;
	m->h.len = kind_size[kind];
	m->h.seq = seq;
}

/* Is the text in this array terminated? */
#define ENDED(a) (memchr((a), '\0', sizeof(a)) != NULL)

static bool strings_end(const union ow_ctl_msg *m)
{
	switch (m->h.kind) {
	case OW_CTL_HELLO:
		return ENDED(m->hello.bin);
	case OW_CTL_ADV:
	case OW_CTL_UNADV:
		return ENDED(m->name.name);
	case OW_CTL_CMD:
		return ENDED(m->cmd.name) && ENDED(m->cmd.text);
	case OW_CTL_EVENT:
		return ENDED(m->event.bin) && ENDED(m->event.text);
	case OW_CTL_ROW:
		return ENDED(m->row.bin) && ENDED(m->row.binpath) &&
		       ENDED(m->row.last_cmd) && ENDED(m->row.reason) &&
		       ENDED(m->row.procgrp) && ENDED(m->row.procgrp_lp);
	case OW_CTL_CLIENT:
		return ENDED(m->client.tag) && ENDED(m->client.subsect) &&
		       ENDED(m->client.procgrp) && ENDED(m->client.reason);
	case OW_CTL_GROUP:
		return ENDED(m->group.name) && ENDED(m->group.lp_bin) &&
		       ENDED(m->group.path) && ENDED(m->group.reason);
	case OW_CTL_DONE:
		return ENDED(m->done.text);
	default:
		return true;
	}
}

static bool numbers_fit(const union ow_ctl_msg *m)
{
	switch (m->h.kind) {
	case OW_CTL_HELLO:
		return m->hello.srvid >= 1 && m->hello.srvid < 65536 &&
		       m->hello.pid > 0;
	case OW_CTL_CMD:
		return m->cmd.verb > OW_VERB_NONE &&
		       m->cmd.verb < OW_VERB_END && m->cmd.srvid < 65536;
	case OW_CTL_EVENT:
		return m->event.state < OW_PROC_STATE_END;
	case OW_CTL_ROW:
		return m->row.state < OW_PROC_STATE_END &&
		       m->row.requested < OW_PROC_STATE_END;
	case OW_CTL_CLIENT:
		return m->client.state < OW_PROC_STATE_END &&
		       m->client.requested < OW_PROC_STATE_END;
	default:
		return true;
	}
}

uint32_t ow_ctl_domain(const char *prefix)
{
	uint32_t sum = ow_crc32(prefix, strlen(prefix));

	return sum != 0 ? sum : 1;
}

void ow_ctl_set_words(struct ow_ctl_cmd *c, const char *words)
{
	size_t at = strlen(c->text) + 1;

	if (at < sizeof(c->text))
		snprintf(c->text + at, sizeof(c->text) - at, "%s", words);
}

const char *ow_ctl_words(const struct ow_ctl_cmd *c)
{
	size_t at = strlen(c->text) + 1;

	return at < sizeof(c->text) &&
		       memchr(c->text + at, '\0', sizeof(c->text) - at) != NULL
		   ? c->text + at
		   : "";
}

int ow_ctl_check(const union ow_ctl_msg *m, size_t len)
{
	if (len < sizeof(m->h) || m->h.magic != OW_CTL_MAGIC ||
	    m->h.version != OW_CTL_VERSION)
		return -EBADMSG;
	if (m->h.kind >= OW_CTL_KIND_END || kind_size[m->h.kind] == 0 ||
	    m->h.len != len || kind_size[m->h.kind] != len)
		return -EBADMSG;
	return strings_end(m) && numbers_fit(m) ? 0 : -EBADMSG;
}

int ow_ctl_send(int fd, const union ow_ctl_msg *m)
{
	ssize_t n;

	do {
		n = send(fd, m, m->h.len, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int ow_ctl_recv(int fd, union ow_ctl_msg *m)
{
	ssize_t n;

	do {
		n = recv(fd, m, sizeof(*m), MSG_DONTWAIT | MSG_TRUNC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -ENOTCONN : -errno;
	if (n == 0)
		return -ENOTCONN;
	return (size_t)n > sizeof(*m) ? -EBADMSG : ow_ctl_check(m, (size_t)n);
}

/* ---- with descriptors ---- */

/* Room for the descriptors of one packet. */
union ancillary {
	struct cmsghdr head; /* for its alignment */
	char room[CMSG_SPACE(OW_CTL_FDS * sizeof(int))];
};

int ow_ctl_send_fds(int fd, const union ow_ctl_msg *m,
		    const int fds[OW_CTL_FDS])
{
	struct iovec part = { .iov_base = (void *)m, .iov_len = m->h.len };
	union ancillary extra = { .room = { 0 } };
	struct msghdr msg = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = &extra,
			      .msg_controllen = sizeof(extra.room) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	ssize_t n;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(OW_CTL_FDS * sizeof(int));
	memcpy(CMSG_DATA(c), fds, OW_CTL_FDS * sizeof(int));
	do {
		n = sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* The kernel fills one header at most; descriptors without room it closes. */
static void take_fds(struct msghdr *msg, int ret_fds[OW_CTL_FDS])
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);

	if (c != NULL && c->cmsg_level == SOL_SOCKET &&
	    c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len <= CMSG_LEN(OW_CTL_FDS * sizeof(int)))
		memcpy(ret_fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
}

static void drop_fds(int fds[OW_CTL_FDS])
{
	for (int i = 0; i < OW_CTL_FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

int ow_ctl_recv_fds(int fd, union ow_ctl_msg *m, int ret_fds[OW_CTL_FDS])
{
	struct iovec part = { .iov_base = m, .iov_len = sizeof(*m) };
	union ancillary extra = { .room = { 0 } };
	struct msghdr msg = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = &extra,
			      .msg_controllen = sizeof(extra.room) };
	ssize_t n;
	int r;

	for (int i = 0; i < OW_CTL_FDS; i++)
		ret_fds[i] = -1;
	do {
		n = recvmsg(fd, &msg,
			    MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -ENOTCONN : -errno;
	take_fds(&msg, ret_fds);
	if (n == 0)
		r = -ENOTCONN;
	else
		r = (size_t)n > sizeof(*m) ? -EBADMSG
					   : ow_ctl_check(m, (size_t)n);
	if (r < 0)
		drop_fds(ret_fds);
	return r;
}

const char *ow_ctl_kind_name(uint32_t kind)
{
	return kind < OW_CTL_KIND_END ? kind_names[kind] : "?";
}

const char *ow_proc_state_word(uint32_t state)
{
	return state < OW_PROC_STATE_END ? proc_states[state].word : "?";
}

const char *ow_proc_state_text(uint32_t state)
{
	return state < OW_PROC_STATE_END ? proc_states[state].text : "?";
}

const char *ow_ctl_verb_word(uint32_t verb)
{
	return verb < OW_VERB_END ? verb_words[verb] : "?";
}

enum ow_ctl_verb ow_ctl_verb_find(const char *word)
{
	int v;

	for (v = 1; v < OW_VERB_END; v++)
		if (strcmp(verb_words[v], word) == 0)
			return (enum ow_ctl_verb)v;
	return OW_VERB_NONE;
}
