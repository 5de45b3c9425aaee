/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - start the process of a client
 */
#include "ndrxd/clients/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/domain/programs.h"
#include "libatmi/base/owned.h"
#include "libndrx/config/cmdline.h"
#include "libndrx/config/config.h"
#include "ndrxd/launch/launch.h"
#include "ndrxd/launch/exec.h"
#include "libndrx/prepare/entry.h"
#include "libndrx/prepare/path.h"
#include "libndrx/prepare/procenv.h"

/* Everything that one start needs; cleared by finish(). */
struct making {
	struct ow_client_start *s;
	struct ow_procenv env;
	struct ow_cmdline cmd;
	char path[PATH_MAX];
	int out_fd, err_fd;
};

static int set_env(struct making *m)
{
	int r = ow_entry_client_env(m->s->def, &m->env, m->s->why);

	if (r == 0)
		r = ow_entry_mark_hidden(&m->env,
					 ow_entry_hides(m->s->def->cmdline));
	if (r == 0) /* replaced by the child with its number */
		r = ow_procenv_set(&m->env, OW_PROGRAM_PID, "0000000000");
	return r;
}

/* A file for output; NULL: *ret_fd stays as it is. */
static int open_output(struct making *m, const char *path, int *ret_fd)
{
	int fd, flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY;

	if (path == NULL)
		return 0;
	/* Opening a FIFO without a reader must not block. */
	fd = open(path, flags | O_NONBLOCK, OW_LOG_MODE);
	if (fd < 0) {
		snprintf(m->s->why, OW_CLIENT_WHY, "output %.180s: %s", path,
			 strerror(errno));
		m->s->err = errno;
		return OW_PROC_ENVIRON;
	}
	fcntl(fd, F_SETFL, O_APPEND);
	*ret_fd = fd;
	return 0;
}

static enum ow_proc_state prepare(struct making *m)
{
	const struct ow_config_client *def = m->s->def;
	const char *out = def->out != NULL ? def->out : def->log;
	const char *err = def->err != NULL ? def->err : def->log;
	int r = set_env(m);

	if (r != 0)
		return r < 0 ? OW_PROC_LIMITS : OW_PROC_ENVIRON;
	r = ow_entry_words(&m->env, &m->cmd, def->cmdline, m->s->why);
	if (r != 0 || m->cmd.argc == 0)
		return r < 0 ? OW_PROC_LIMITS : OW_PROC_ARGS;
	m->s->err = ow_path_find(m->cmd.argv[0],
				   ow_procenv_get(&m->env, "PATH"), m->path,
				   sizeof(m->path));
	if (m->s->err != 0)
		return ow_path_state(m->s->err);
	r = open_output(m, out, &m->out_fd);
	if (r == 0)
		r = open_output(m, err, &m->err_fd);
	return (enum ow_proc_state)r;
}

static enum ow_proc_state execute(struct making *m)
{
	struct ow_launch_exec e = {
		.path = m->path,
		.argv = m->cmd.argv,
		.envp = m->env.v,
		.base = m->s->base,
		.lock_fd = m->s->lock_fd,
		.out_fd = m->out_fd,
		.err_fd = m->err_fd,
		.wd = m->s->def->wd,
		.pid_text = (char *)ow_procenv_get(&m->env, OW_PROGRAM_PID),
	};

	m->s->err = -ow_launch_exec(&e, &m->s->pid);
	return m->s->err == 0 ? 0 : ow_path_state(m->s->err);
}

static void finish(struct making *m)
{
	if (m->out_fd >= 0)
		close(m->out_fd);
	if (m->err_fd >= 0)
		close(m->err_fd);
	ow_cmdline_clear(&m->cmd);
	ow_procenv_clear(&m->env);
}

enum ow_proc_state ow_client_start(struct ow_client_start *s)
{
	struct making m = { .s = s, .out_fd = -1, .err_fd = -1 };
	enum ow_proc_state state = prepare(&m);

	if (state == 0)
		state = execute(&m);
	if (state != 0 && s->why[0] == '\0')
		snprintf(s->why, OW_CLIENT_WHY, "%.120s%s%.60s: %s",
			 m.path[0] == '\0' || ow_entry_hides(s->def->cmdline)
				 ? s->def->cmdline : m.path,
			 s->def->wd != NULL ? " in " : "",
			 s->def->wd != NULL ? s->def->wd : "",
			 s->err != 0 ? strerror(s->err)
				     : ow_proc_state_text(state));
	finish(&m);
	return state;
}
