/* SPDX-License-Identifier: Apache-2.0 */
/* test_ctl.c - packets of the control plane */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "libatmi/wire/ctl.h"

/* A valid packet of `kind`. */
static void make(union ow_ctl_msg *m, enum ow_ctl_kind kind)
{
	memset(m, 0x5a, sizeof(*m));
	ow_ctl_init(m, kind, 7);
	if (kind == OW_CTL_HELLO) {
		m->hello.srvid = 10;
		m->hello.pid = 1;
	}
	if (kind == OW_CTL_CMD)
		m->cmd.verb = OW_VERB_LIST;
}

static void every_kind_passes_as_composed(void **state)
{
	union ow_ctl_msg m;
	int k;

	for (k = 1; k < OW_CTL_KIND_END; k++) {
		make(&m, k);
		assert_int_equal(m.h.seq, 7);
		assert_int_equal(ow_ctl_check(&m, m.h.len), 0);
		assert_string_not_equal(ow_ctl_kind_name((uint32_t)k), "?");
	}
}

static void every_kind_cut_or_stretched_is_refused(void **state)
{
	union ow_ctl_msg m;
	size_t len;
	int k;

	for (k = 1; k < OW_CTL_KIND_END; k++) {
		make(&m, k);
		for (len = 0; len <= sizeof(m); len++)
			if (len != m.h.len)
				assert_int_equal(ow_ctl_check(&m, len),
						 -EBADMSG);
		/* The same length in the header. */
		for (len = sizeof(m.h); len <= sizeof(m); len++) {
			uint32_t right = m.h.len;

			m.h.len = (uint32_t)len;
			if (len != right)
				assert_int_equal(ow_ctl_check(&m, len),
						 -EBADMSG);
			m.h.len = right;
		}
	}
}

static void unterminated_strings_are_refused(void **state)
{
	union ow_ctl_msg m;

#define OPEN_END(kind, array)                                             \
	do {                                                              \
		make(&m, kind);                                           \
		memset(array, 'x', sizeof(array));                        \
		assert_int_equal(ow_ctl_check(&m, m.h.len), -EBADMSG);    \
		array[sizeof(array) - 1] = '\0';                          \
		assert_int_equal(ow_ctl_check(&m, m.h.len), 0);           \
	} while (0)
	OPEN_END(OW_CTL_HELLO, m.hello.bin);
	OPEN_END(OW_CTL_ADV, m.name.name);
	OPEN_END(OW_CTL_UNADV, m.name.name);
	OPEN_END(OW_CTL_CMD, m.cmd.name);
	OPEN_END(OW_CTL_CMD, m.cmd.text);
	OPEN_END(OW_CTL_EVENT, m.event.bin);
	OPEN_END(OW_CTL_EVENT, m.event.text);
	OPEN_END(OW_CTL_ROW, m.row.bin);
	OPEN_END(OW_CTL_ROW, m.row.binpath);
	OPEN_END(OW_CTL_ROW, m.row.last_cmd);
	OPEN_END(OW_CTL_ROW, m.row.reason);
	OPEN_END(OW_CTL_DONE, m.done.text);
#undef OPEN_END
}

static void numbers_out_of_range_are_refused(void **state)
{
	union ow_ctl_msg m;

#define BAD(kd, field, value)                                             \
	do {                                                              \
		make(&m, kd);                                             \
		m.field = (value);                                        \
		assert_int_equal(ow_ctl_check(&m, m.h.len), -EBADMSG);    \
	} while (0)
	BAD(OW_CTL_PING, h.magic, 0);
	BAD(OW_CTL_PING, h.version, 2);
	BAD(OW_CTL_PING, h.kind, OW_CTL_NONE);
	BAD(OW_CTL_PING, h.kind, OW_CTL_KIND_END);
	BAD(OW_CTL_PING, h.kind, 65535);
	BAD(OW_CTL_HELLO, hello.srvid, 0);
	BAD(OW_CTL_HELLO, hello.srvid, 65536);
	BAD(OW_CTL_HELLO, hello.pid, 0);
	BAD(OW_CTL_HELLO, hello.pid, -1);
	BAD(OW_CTL_CMD, cmd.verb, OW_VERB_NONE);
	BAD(OW_CTL_CMD, cmd.verb, OW_VERB_END);
	BAD(OW_CTL_CMD, cmd.srvid, 65536);
	BAD(OW_CTL_EVENT, event.state, OW_PROC_STATE_END);
	BAD(OW_CTL_ROW, row.state, OW_PROC_STATE_END);
	BAD(OW_CTL_ROW, row.requested, UINT32_MAX);
#undef BAD
}

static void a_packet_goes_through_a_socket_whole(void **state)
{
	union ow_ctl_msg out, in;
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd), 0);
	assert_int_equal(ow_ctl_recv(fd[1], &in), -EAGAIN);
	make(&out, OW_CTL_ROW);
	strcpy(out.row.reason, "why");
	assert_int_equal(ow_ctl_send(fd[0], &out), 0);
	assert_int_equal(ow_ctl_recv(fd[1], &in), 0);
	assert_memory_equal(&in, &out, out.h.len);
	close(fd[0]);
	assert_int_equal(ow_ctl_recv(fd[1], &in), -ENOTCONN);
	assert_int_equal(ow_ctl_send(fd[1], &out), -EPIPE);
	close(fd[1]);
}

/* How many descriptors this process has. */
static int count_fds(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void words_of_the_sender_stand_behind_the_text(void **state)
{
	union ow_ctl_msg m;

	ow_ctl_init(&m, OW_CTL_CMD, 1);
	m.cmd.verb = OW_VERB_STOP;
	assert_string_equal(ow_ctl_words(&m.cmd), "");
	strcpy(m.cmd.text, "group");
	ow_ctl_set_words(&m.cmd, "xadmin stop -y -g group");
	assert_string_equal(m.cmd.text, "group");
	assert_string_equal(ow_ctl_words(&m.cmd), "xadmin stop -y -g group");
	assert_int_equal(ow_ctl_check(&m, m.h.len), 0);
	/* They have no end: an enemy's. */
	memset(m.cmd.text + 6, 'x', sizeof(m.cmd.text) - 6);
	assert_string_equal(ow_ctl_words(&m.cmd), "");
	/* There is no room. */
	memset(m.cmd.text, 'x', sizeof(m.cmd.text) - 1);
	m.cmd.text[sizeof(m.cmd.text) - 1] = '\0';
	ow_ctl_set_words(&m.cmd, "xadmin");
	assert_string_equal(ow_ctl_words(&m.cmd), "");
	assert_int_equal(strlen(m.cmd.text), sizeof(m.cmd.text) - 1);
}

static void descriptors_come_with_their_packet_and_none_without(void **state)
{
	union ow_ctl_msg out, in;
	int fd[2], pipes[2], fds[OW_CTL_FDS], before;
	char c = 0;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd), 0);
	assert_int_equal(pipe(pipes), 0);
	before = count_fds();
	make(&out, OW_CTL_CMD);
	assert_int_equal(ow_ctl_send(fd[0], &out), 0);
	assert_int_equal(ow_ctl_send_fds(fd[0], &out, pipes), 0);
	assert_int_equal(ow_ctl_recv_fds(fd[1], &in, fds), 0);
	assert_int_equal(fds[0], -1);
	assert_int_equal(fds[1], -1);
	assert_int_equal(ow_ctl_recv_fds(fd[1], &in, fds), 0);
	assert_memory_equal(&in, &out, out.h.len);
	assert_true(fcntl(fds[0], F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(fds[1], F_GETFD) & FD_CLOEXEC);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(read(pipes[0], &c, 1), 1);
	assert_int_equal(c, 'x');
	close(fds[0]);
	close(fds[1]);
	/* Of a packet that is refused, or received without them: closed. */
	out.h.version = 2;
	assert_int_equal(ow_ctl_send_fds(fd[0], &out, pipes), 0);
	assert_int_equal(ow_ctl_recv_fds(fd[1], &in, fds), -EBADMSG);
	assert_int_equal(fds[0], -1);
	make(&out, OW_CTL_CMD);
	assert_int_equal(ow_ctl_send_fds(fd[0], &out, pipes), 0);
	assert_int_equal(ow_ctl_recv(fd[1], &in), 0);
	assert_int_equal(count_fds(), before);
	close(pipes[0]);
	close(pipes[1]);
	close(fd[0]);
	assert_int_equal(ow_ctl_recv_fds(fd[1], &in, fds), -ENOTCONN);
	close(fd[1]);
}

static void packets_that_are_too_long_or_too_short_are_refused(void **state)
{
	char big[sizeof(union ow_ctl_msg) + 1] = { 0 };
	union ow_ctl_msg in;
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd), 0);
	make((union ow_ctl_msg *)big, OW_CTL_ROW);
	assert_int_equal(send(fd[0], big, sizeof(big), 0), sizeof(big));
	assert_int_equal(ow_ctl_recv(fd[1], &in), -EBADMSG);
	assert_int_equal(send(fd[0], big, 1, 0), 1);
	assert_int_equal(ow_ctl_recv(fd[1], &in), -EBADMSG);
	close(fd[0]);
	close(fd[1]);
}

static void a_full_socket_says_again_and_never_blocks(void **state)
{
	union ow_ctl_msg m;
	int fd[2], n = 0;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd), 0);
	make(&m, OW_CTL_DONE);
	while (ow_ctl_send(fd[0], &m) == 0 && n < 100000)
		n++;
	assert_int_equal(ow_ctl_send(fd[0], &m), -EAGAIN);
	close(fd[0]);
	close(fd[1]);
}

static void states_and_verbs_have_words(void **state)
{
	uint32_t i;

	for (i = 0; i < OW_PROC_STATE_END; i++)
		assert_string_not_equal(ow_proc_state_text(i), "?");
	assert_string_equal(ow_proc_state_word(OW_PROC_RUNNING), "runok");
	assert_string_equal(ow_proc_state_word(OW_PROC_STATE_END), "?");
	assert_string_equal(ow_ctl_kind_name(99), "?");
	for (i = 1; i < OW_VERB_END; i++)
		assert_int_equal(ow_ctl_verb_find(ow_ctl_verb_word(i)), i);
	assert_int_equal(ow_ctl_verb_find(""), OW_VERB_NONE);
	assert_string_equal(ow_ctl_verb_word(OW_VERB_END), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_passes_as_composed),
		cmocka_unit_test(every_kind_cut_or_stretched_is_refused),
		cmocka_unit_test(unterminated_strings_are_refused),
		cmocka_unit_test(numbers_out_of_range_are_refused),
		cmocka_unit_test(a_packet_goes_through_a_socket_whole),
		cmocka_unit_test(words_of_the_sender_stand_behind_the_text),
		cmocka_unit_test(
		    descriptors_come_with_their_packet_and_none_without),
		cmocka_unit_test(
		    packets_that_are_too_long_or_too_short_are_refused),
		cmocka_unit_test(a_full_socket_says_again_and_never_blocks),
		cmocka_unit_test(states_and_verbs_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
