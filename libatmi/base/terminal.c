/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.c - a daemon leaves its terminal, not its session
 *
 * TIOCNOTTY of a process that does not lead its session takes the terminal from
 * this process alone, and from what it starts. When the terminal is closed the
 * kernel sends SIGHUP to the leader of the session and to the terminal's group
 * of that moment; a daemon is neither. A process that leads no session gets no
 * new terminal by opening one.
 */
#include "libatmi/base/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <unistd.h>

void ow_terminal_leave(void)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	/* ENXIO: it has none; ENOENT: a container without /dev/tty. */
	bool left = fd < 0 && (errno == ENXIO || errno == ENOENT);

	if (fd >= 0) {
		left = ioctl(fd, TIOCNOTTY) == 0;
		close(fd);
	}
	if (!left && setsid() >= 0)
		return;
	setpgid(0, 0);
}
