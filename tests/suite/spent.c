/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spent - run a test, and note the CPU time of all its processes
 *
 *	spent NAME PROGRAM [ARGUMENT...]
 *
 * Appends "NAME SECONDS" to the file in OW_SPENT; without that variable it
 * becomes the program. Processes that have lost their parent, as daemons do,
 * become its children, so that the kernel adds up what they have used. It ends
 * as the program does: with its status, or by its signal; a test leaves
 * nothing running but what clears away, which is waited for WAIT_MS at most.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 3000

static pid_t test;

static void pass_on(int sig)
{
	if (test > 0)
		kill(test, sig);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* One line in one write: tests that run at once share the file. */
static void note(const char *file, const char *name)
{
	struct rusage u;
	char line[256];
	int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

	getrusage(RUSAGE_CHILDREN, &u);
	int len = snprintf(line, sizeof(line), "%.150s %.3f\n", name,
			   seconds(u.ru_utime) + seconds(u.ru_stime));
	if (fd < 0 || write(fd, line, (size_t)len) != len)
		fprintf(stderr, "spent: %s: %s\n", file, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* The status of the test; those that it leaves to us are reaped meanwhile. */
static int wait_for_test(void)
{
	int status;
	pid_t pid;

	do
		pid = waitpid(-1, &status, 0);
	while (pid != test && (pid > 0 || errno == EINTR));
	return pid == test ? status : 1 << 8;
}

static void reap_others(void)
{
	struct timespec pause = { 0, 2000000 };

	for (int ms = 0; ms < WAIT_MS; ms += 2) {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			return;
		nanosleep(&pause, NULL);
	}
}

static int end_as(int status)
{
	struct rlimit none = { 0, 0 };

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &none); /* the test has written its own */
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

/* In the background of a shell SIGINT and SIGQUIT are ignored: servers of a test
 * would ignore them, too. */
static void ignore_no_signal(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
}

static int become(char **argv)
{
	execvp(argv[0], argv);
	fprintf(stderr, "spent: %s: %s\n", argv[0], strerror(errno));
	return 127;
}

int main(int argc, char **argv)
{
	const char *file = getenv("OW_SPENT");

	if (argc < 3)
		return fprintf(stderr, "usage: spent NAME PROGRAM...\n"), 2;
	if (file == NULL)
		return become(argv + 2);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* If what runs tests is killed, the test ends, too. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	test = fork();
	if (test == 0) {
		/* If we are killed, the test clears away, and ends. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		ignore_no_signal();
		_exit(become(argv + 2));
	}
	signal(SIGTERM, pass_on);
	signal(SIGINT, SIG_IGN); /* of a terminal: the test gets it, too */
	int status = wait_for_test();
	reap_others();
	note(file, argv[1]);
	return end_as(status);
}
