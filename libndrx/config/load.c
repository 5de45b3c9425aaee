/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - a configuration loaded from a file or from memory
 *
 * Reads, checks, and validates against the schema. The tree of elements is
 * freed at the end of the load; the configuration has its own arena.
 */
#include "libndrx/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libubf/base/cleanup.h"
#include "libndrx/config/arena.h"
#include "libndrx/config/check.h"
#include "libndrx/config/read.h"
#include "libndrx/config/schema.h"

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

/* Reads one byte more than the limit, so that load() sees the excess. */
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
	/* Mostly address space: pages that are not written cost nothing. */
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
