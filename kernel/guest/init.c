/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * init.c - process 1 of a guest: mounts, runs the agent, ends the machine
 *
 *	/init
 *
 * Everything lives in the initial RAM file system. What the agent prints goes
 * to the second serial line, where the host reads it; the first is the
 * console of the kernel. The end is a reboot, which qemu takes as the end
 * (-no-reboot), so that no driver for powering off is needed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define RESULTS "/dev/ttyS1"

static const struct {
	const char *type, *where;
	unsigned long flags;
} mounts[] = {
	{ "proc", "/proc", 0 },
	{ "sysfs", "/sys", 0 },
	{ "devtmpfs", "/dev", 0 },
	{ "tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV },
	{ "mqueue", "/dev/mqueue", 0 },
	{ "devpts", "/dev/pts", 0 },
	{ "tmpfs", "/tmp", 0 },
	{ "tmpfs", "/run", 0 },
};

static void mount_all(void)
{
	size_t i;

	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].where, 0755);
		if (mount(mounts[i].type, mounts[i].where, mounts[i].type,
			  mounts[i].flags, NULL) < 0 && errno != EBUSY)
			printf("init: mount %s: %s\n", mounts[i].where,
			       strerror(errno));
	}
	chmod("/tmp", 01777);
	chmod("/dev/shm", 01777);
	symlink("/proc/self/fd", "/dev/fd");
}

/* The serial line passes bytes as they are. */
static void open_results(void)
{
	struct termios raw;
	int fd = open(RESULTS, O_RDWR | O_NOCTTY);

	if (fd < 0) {
		printf("init: " RESULTS ": %s\n", strerror(errno));
		return;
	}
	if (tcgetattr(fd, &raw) == 0) {
		cfmakeraw(&raw);
		cfsetspeed(&raw, B115200);
		tcsetattr(fd, TCSANOW, &raw);
	}
	dup2(fd, STDOUT_FILENO);
	close(fd);
}

static void run_agent(void)
{
	char *const argv[] = { "python3", "-B", "/verify/agent.py", NULL };
	char *const envp[] = {
		"PATH=/onewake/build/bin:/usr/bin:/bin", "HOME=/tmp",
		"LD_LIBRARY_PATH=/onewake/build/lib", "LANG=C.UTF-8",
		"ONEWAKE_BUILD=/onewake/build", "PYTHONDONTWRITEBYTECODE=1",
		NULL,
	};

	open_results();
	execve("/usr/bin/python3", argv, envp);
	fprintf(stderr, "init: /usr/bin/python3: %s\n", strerror(errno));
	_exit(127);
}

int main(void)
{
	pid_t agent, gone;
	int status = -1;

	mount_all();
	printf("init: the agent starts\n");
	fflush(stdout);
	agent = fork();
	if (agent == 0)
		run_agent();
	/* Orphans end here, too. */
	do {
		int s;

		gone = wait(&s);
		if (gone == agent)
			status = s;
	} while (gone != agent && (gone > 0 || errno == EINTR));
	printf("init: the agent ended with status %d\n", status);
	fflush(stdout);
	tcdrain(STDOUT_FILENO);
	sync();
	reboot(RB_AUTOBOOT);
	return 1;
}
