/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in_force.c - the configuration in force: as a file of the run folder, and
 * what other processes need of it
 */
#include "ndrxd/supervise/in_force.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "ndrxd/model/ndrxd.h"

/* A new file of this user alone; NULL with errno. */
static FILE *create(const char *path)
{
	int fd;

	unlink(path); /* left by an ndrxd that was killed */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd >= 0 ? fdopen(fd, "w") : NULL;
}

static void write_file(struct ndrxd *d)
{
	struct ow_config now = *d->config;
	char path[OW_IN_FORCE_PATH], tmp[OW_IN_FORCE_PATH + 8];
	bool bad;
	FILE *f;

	now.app = d->app; /* `xadmin appconfig` may have changed it */
	ow_domain_in_force(d->dom, path);
	snprintf(tmp, sizeof(tmp), "%s.new", path);
	f = create(tmp);
	bad = f == NULL || ow_config_print(f, &now) != 0;
	if (f != NULL)
		bad |= fclose(f) != 0;
	if (!bad && rename(tmp, path) == 0)
		return;
	log_warn("%s: %s: `xadmin config` does not know what is in force",
		 path, strerror(errno));
	unlink(tmp);
}

void ow_in_force_write(struct ndrxd *d)
{
	if (d->dom == NULL || d->ipc_gone)
		return;
	/* transport/looking.h */
	atomic_store(&d->dom->tables->head->looks.spin,
		     1 + (uint32_t)d->app.spin);
	write_file(d);
}

void ow_in_force_remove(struct ndrxd *d)
{
	char path[OW_IN_FORCE_PATH];

	ow_domain_in_force(d->dom, path);
	unlink(path);
}
