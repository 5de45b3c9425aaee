/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - a configuration object: made, compared, freed
 *
 * Reader and checker are put together here. The tree of elements lives only
 * as long as the load; what remains is in the object's own arena.
 */
#include "ndrxd/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "libubf/base/cleanup.h"
#include "ndrxd/config/arena.h"
#include "ndrxd/config/check.h"
#include "ndrxd/config/tree.h"

#define FILE_MAX ((size_t)16 * 1024 * 1024)

static void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static int fail_errno(struct ow_config_error *err, const char *name, int e)
{
	snprintf(err->text, sizeof(err->text), "%s: %s", name, strerror(e));
	return -e;
}

struct ow_config *ow_config_free(struct ow_config *config)
{
	if (config == NULL)
		return NULL;
	if (config->arena != NULL)
		ow_arena_free(config->arena);
	free(config->arena);
	free(config);
	return NULL;
}

void ow_config_freep(struct ow_config **config)
{
	*config = ow_config_free(*config);
}

static struct ow_config *make_config(void)
{
	struct ow_config *config = calloc(1, sizeof(*config));

	if (config == NULL)
		return NULL;
	config->arena = calloc(1, sizeof(*config->arena));
	return config->arena != NULL ? config : ow_config_free(config);
}

static int load(const struct ow_config_source *source,
		struct ow_config_error *err, struct ow_config **ret_config)
{
	OW_CLEANUP(ow_config_freep) struct ow_config *config = make_config();
	OW_CLEANUP(ow_arena_free) struct ow_arena tree = { 0 };
	struct ow_config_node *root = NULL;
	int r;

	if (config == NULL)
		return fail_errno(err, source->name, ENOMEM);
	if (source->len > FILE_MAX) {
		snprintf(err->text, sizeof(err->text),
			 "%s: the file is too large; at most %zu bytes",
			 source->name, FILE_MAX);
		return OW_CONFIG_BAD;
	}
	r = ow_config_read(source, &tree, err, &root);
	if (r == 0)
		r = ow_config_check(config, root, err);
	if (r != 0)
		return r;
	*ret_config = config;
	config = NULL;
	return 0;
}

int ow_config_load_mem(const char *name, const void *data, size_t len,
		       struct ow_config_error *err,
		       struct ow_config **ret_config)
{
	struct ow_config_source source = {
		.name = name != NULL ? name : "ndrxconfig.xml",
		.data = data,
		.len = len,
		.alone = name == NULL,
	};

	return load(&source, err, ret_config);
}

/* One byte more than the limit is read, so that the excess is seen. */
static int read_all(int fd, char *buf, size_t *ret_len)
{
	size_t len = 0;

	while (len <= FILE_MAX) {
		ssize_t n = read(fd, buf + len, FILE_MAX + 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	*ret_len = len;
	return 0;
}

int ow_config_load(const char *path, struct ow_config_error *err,
		   struct ow_config **ret_config)
{
	OW_CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	/* Address space only: pages that are not read into cost nothing. */
	OW_CLEANUP(ow_cleanup_freep) char *buf = NULL;
	OW_CLEANUP(ow_config_freep) struct ow_config *config = NULL;
	struct ow_config_source source = { .name = path };
	int r;

	if (fd < 0)
		return fail_errno(err, path, errno);
	buf = malloc(FILE_MAX + 1);
	if (buf == NULL)
		return fail_errno(err, path, ENOMEM);
	r = read_all(fd, buf, &source.len);
	if (r != 0)
		return fail_errno(err, path, -r);
	source.data = buf;
	r = load(&source, err, &config);
	if (r == 0)
		r = ow_config_schema_check(&source, err);
	if (r != 0)
		return r;
	*ret_config = config;
	config = NULL;
	return 0;
}

static int same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static int same_envs(const struct ow_config_server *a,
		     const struct ow_config_server *b)
{
	if (a->n_envs != b->n_envs)
		return 0;
	for (size_t i = 0; i < a->n_envs; i++) {
		if (!same_text(a->envs[i].name, b->envs[i].name) ||
		    !same_text(a->envs[i].value, b->envs[i].value))
			return 0;
	}
	return 1;
}

int ow_config_server_same(const struct ow_config_server *a,
			  const struct ow_config_server *b)
{
	return same_text(a->name, b->name) &&
	       same_text(a->fullpath, b->fullpath) &&
	       same_text(a->cmdline, b->cmdline) &&
	       same_text(a->sysopt, b->sysopt) &&
	       same_text(a->appopt, b->appopt) &&
	       same_text(a->env_file, b->env_file) && same_envs(a, b) &&
	       same_text(a->cctag, b->cctag) &&
	       a->mindispatchthreads == b->mindispatchthreads &&
	       a->maxdispatchthreads == b->maxdispatchthreads &&
	       a->threadstacksize == b->threadstacksize &&
	       same_text(a->rqaddr, b->rqaddr) &&
	       same_text(a->exportsvcs, b->exportsvcs) &&
	       same_text(a->blacklistsvcs, b->blacklistsvcs) &&
	       same_text(a->procgrp, b->procgrp) &&
	       same_text(a->procgrp_lp, b->procgrp_lp);
}

const struct ow_config_server *
ow_config_server_find(const struct ow_config *config, int srvid)
{
	for (size_t i = 0; i < config->n_servers; i++) {
		const struct ow_config_server *s = &config->servers[i];

		if (srvid >= s->srvid && srvid < s->srvid + s->max)
			return s;
	}
	return NULL;
}
