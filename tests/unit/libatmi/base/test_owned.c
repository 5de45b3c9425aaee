/* SPDX-License-Identifier: Apache-2.0 */
/* test_owned.c - nothing that belongs to another user is used */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "libatmi/base/owned.h"
#include "tests/unit/libatmi/scratch.h"

#define NOBODY 65534

/* A file of ours, for nobody else. */
static const char *own_file(const char *name)
{
	const char *path = scratch_path(name);

	scratch_write(path, "text");
	assert_int_equal(chmod(path, 0600), 0);
	return path;
}

/* Opening `path` is refused, and the reason has `word`. */
static void refused(const char *path, int flags, mode_t type, const char *word)
{
	assert_int_equal(ow_owned_open(path, flags, type, NULL), -EPERM);
	if (strstr(ow_owned_strerror(-EPERM), word) == NULL ||
	    strstr(ow_owned_strerror(-EPERM), path) == NULL)
		fail_msg("\"%s\" has no \"%s\"", ow_owned_strerror(-EPERM),
			 word);
}

static void need_root(void)
{
	if (geteuid() != 0)
		skip(); /* only root can give a file away */
}

static void our_own_file_is_opened_with_its_size(void **state)
{
	const char *path = own_file("own");
	struct stat st;
	int fd = ow_owned_open(path, O_RDWR, S_IFREG, &st);

	assert_true(fd >= 0);
	assert_int_equal(st.st_size, 4);
	close(fd);
	assert_int_equal(ow_owned_open(scratch_path("none"), O_RDWR, S_IFREG,
				       &st), -ENOENT);
}

static void a_file_has_no_number_of_the_standard_ones(void **state)
{
	const char *path = own_file("standard");
	int n, fd, kept;

	for (n = STDIN_FILENO; n <= STDERR_FILENO; n++) {
		kept = dup(n);
		assert_true(kept > STDERR_FILENO);
		close(n);
		fd = ow_owned_open(path, O_RDWR, S_IFREG, NULL);
		dup2(kept, n);
		close(kept);
		assert_true(fd > STDERR_FILENO);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		close(fd);
	}
}

static void a_file_that_others_may_open_is_refused(void **state)
{
	static const mode_t modes[] = { 0640, 0604, 0660, 0606, 0666, 0610 };
	const char *path = own_file("mode");
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(chmod(path, modes[i]), 0);
		refused(path, O_RDWR, S_IFREG, "lets other users in");
	}
}

static void a_file_for_reading_may_be_read_but_not_written_by_others(void **state)
{
	const char *path = own_file("reading");
	FILE *f = NULL;

	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(ow_owned_fopen(path, &f), 0);
	assert_int_equal(fgetc(f), 't');
	fclose(f);
	assert_int_equal(chmod(path, 0664), 0);
	refused(path, O_RDONLY, S_IFREG, "0664");
	assert_int_equal(ow_owned_fopen(path, &f), -EPERM);
}

static void a_file_with_a_second_name_is_refused(void **state)
{
	const char *path = own_file("first"), *other = scratch_path("second");

	assert_int_equal(link(path, other), 0);
	refused(path, O_RDWR, S_IFREG, "2 names");
	assert_int_equal(unlink(other), 0);
	close(ow_owned_open(path, O_RDWR, S_IFREG, NULL));
}

static void links_and_other_types_are_refused_without_blocking(void **state)
{
	const char *link = scratch_path("link"), *fifo = scratch_path("fifo");

	assert_int_equal(symlink(own_file("target"), link), 0);
	refused(link, O_RDWR, S_IFREG, "is not a file");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	refused(fifo, O_RDONLY, S_IFREG, "is not a file");
	refused(own_file("target"), O_RDWR, S_IFIFO, "is not a FIFO");
	refused(scratch_dir, O_RDONLY, S_IFREG, "is not a file");
}

static void a_folder_is_made_for_us_alone(void **state)
{
	const char *path = scratch_path("folder");
	struct stat st;

	assert_int_equal(ow_owned_folder(path, false), -ENOENT);
	assert_int_equal(ow_owned_folder(path, true), 0);
	assert_int_equal(ow_owned_folder(path, true), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(chmod(path, 0750), 0);
	assert_int_equal(ow_owned_folder(path, true), -EPERM);
	assert_non_null(strstr(ow_owned_strerror(-EPERM), "chmod 700"));
	assert_int_equal(ow_owned_folder_owner(path), 0);
	assert_int_equal(ow_owned_folder(own_file("plain"), true), -EPERM);
}

static void root_is_refused_what_belongs_to_a_user_and_told_whose_it_is(
    void **state)
{
	const char *path, *folder;

	need_root();
	path = own_file("given");
	folder = scratch_path("given_folder");
	assert_int_equal(chown(path, NOBODY, NOBODY), 0);
	refused(path, O_RDWR, S_IFREG, "(65534)");
	refused(path, O_RDONLY, S_IFREG, "runuser -u ");
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(chown(folder, NOBODY, NOBODY), 0);
	assert_int_equal(ow_owned_folder(folder, true), -EPERM);
	assert_int_equal(ow_owned_folder_owner(folder), -EPERM);
}

static void the_peer_of_a_socket_is_checked(void **state)
{
	pid_t pid = 0;
	int s[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s), 0);
	assert_int_equal(ow_owned_peer(s[0], "the socket", &pid), 0);
	assert_int_equal(pid, getpid());
	if (geteuid() == 0) {
		assert_int_equal(seteuid(NOBODY), 0);
		assert_int_equal(ow_owned_peer(s[0], "the socket", &pid),
				 -EPERM);
		assert_non_null(strstr(ow_owned_strerror(-EPERM), "root (0)"));
		assert_int_equal(seteuid(0), 0);
	}
	close(s[0]);
	close(s[1]);
}

/* ---- POSIX message queues ---- */

static char queue[64];

static void make_queue(mode_t mode)
{
	struct mq_attr a = { .mq_maxmsg = 1, .mq_msgsize = 16 };
	mode_t old = umask(0);
	mqd_t mq = mq_open(queue, O_RDWR | O_CREAT | O_EXCL, mode, &a);

	umask(old);
	assert_true(mq != (mqd_t)-1);
	mq_close(mq);
}

static void a_queue_that_others_may_open_is_refused(void **state)
{
	mqd_t mq;

	assert_int_equal(ow_owned_mq_open(queue, O_RDWR, &mq), -ENOENT);
	make_queue(0600);
	assert_int_equal(ow_owned_mq_open(queue, O_RDWR, &mq), 0);
	mq_close(mq);
	assert_int_equal(ow_owned_mq_unlink(queue), 0);
	assert_int_equal(ow_owned_mq_unlink(queue), -ENOENT);
	make_queue(0666);
	assert_int_equal(ow_owned_mq_open(queue, O_RDWR, &mq), -EPERM);
	assert_non_null(strstr(ow_owned_strerror(-EPERM), queue));
	assert_int_equal(ow_owned_mq_unlink(queue), 0);
}

static void plant_queue(void *unused)
{
	if (setuid(NOBODY) == 0)
		make_queue(0666);
}

static void root_neither_uses_nor_removes_the_queue_of_a_user(void **state)
{
	mqd_t mq;
	int st;
	pid_t pid;

	need_root();
	pid = fork();
	if (pid == 0) {
		plant_queue(NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_int_equal(ow_owned_mq_open(queue, O_RDWR, &mq), -EPERM);
	assert_non_null(strstr(ow_owned_strerror(-EPERM), "(65534)"));
	assert_int_equal(ow_owned_mq_unlink(queue), -EPERM);
	assert_int_equal(mq_unlink(queue), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_file_is_opened_with_its_size),
		cmocka_unit_test(a_file_has_no_number_of_the_standard_ones),
		cmocka_unit_test(a_file_that_others_may_open_is_refused),
		cmocka_unit_test(
		    a_file_for_reading_may_be_read_but_not_written_by_others),
		cmocka_unit_test(a_file_with_a_second_name_is_refused),
		cmocka_unit_test(
		    links_and_other_types_are_refused_without_blocking),
		cmocka_unit_test(a_folder_is_made_for_us_alone),
		cmocka_unit_test(
		    root_is_refused_what_belongs_to_a_user_and_told_whose_it_is),
		cmocka_unit_test(the_peer_of_a_socket_is_checked),
		cmocka_unit_test(a_queue_that_others_may_open_is_refused),
		cmocka_unit_test(
		    root_neither_uses_nor_removes_the_queue_of_a_user),
	};

	scratch_make();
	snprintf(queue, sizeof(queue), "/owtown%d", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
