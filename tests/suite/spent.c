/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spent - run a test, and note the CPU time of all its processes
 *
 *	spent NAME PROGRAM [ARGUMENT...]
 *
 * Appends "NAME SECONDS" to the file in OW_SPENT; without that variable it
 * becomes the program. Processes that have lost their parent, as daemons do,
 * become its children, so that the kernel adds up what they have used. It ends
 * as the program does: with its status, or by its signal.
 *
 * What clears away may go on when the test has ended, for WAIT_MS, times
 * OW_SLOW. What runs then is killed, wherever it is below the test, and named:
 * run.py knows the line.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 5000
/* So often what is found is killed: it may have children, which become ours. */
#define ROUNDS 20

/* 0: it has ended, and another process may get its number. */
static volatile pid_t test;

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
	siginfo_t ended;
	int status = 1 << 8;

	for (;;) {
		pid_t pid = test;

		ended.si_pid = 0;
		if (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) < 0) {
			if (errno != EINTR)
				return status;
		} else if (ended.si_pid == pid) {
			test = 0;
			waitpid(pid, &status, 0);
			return status;
		} else {
			waitpid(ended.si_pid, NULL, 0);
		}
	}
}

/* Reap what has ended; is nothing left? */
static bool reap_others(void)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		;
	return pid < 0;
}

static bool others_end(double ms)
{
	struct timespec pause = { 0, 2000000 };

	for (; ms > 0; ms -= 2) {
		if (reap_others())
			return true;
		nanosleep(&pause, NULL);
	}
	return reap_others();
}

static void end_one(int pid)
{
	char path[64], name[32] = "?\n";

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	FILE *f = fopen(path, "re");
	if (f != NULL && fgets(name, sizeof(name), f) == NULL)
		name[0] = '\0';
	if (f != NULL)
		fclose(f);
	name[strcspn(name, "\n")] = '\0';
	fprintf(stderr, "spent: left running, killed: %s (%d)\n", name, pid);
	kill(pid, SIGKILL);
}

/* Those that end_one() cannot kill are another user's. */
static void end_others(void)
{
	for (int i = 0; i < ROUNDS && !reap_others(); i++) {
		FILE *f = fopen("/proc/thread-self/children", "re");
		int pid;

		while (f != NULL && fscanf(f, "%d", &pid) == 1)
			end_one(pid);
		if (f != NULL)
			fclose(f);
		others_end(50);
	}
}

static double slow(void)
{
	const char *times = getenv("OW_SLOW");

	return times == NULL ? 1 : strtod(times, NULL);
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

/* What begins in the background of a shell ignores SIGINT and SIGQUIT, and so
 * would the servers of a test. */
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
	if (!others_end(WAIT_MS * slow()))
		end_others();
	note(file, argv[1]);
	return end_as(status);
}
