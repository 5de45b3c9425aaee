/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - shms, shmcfg: shared memory of the domain
 */
#include "clients/xadmin/list/list.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libndrx/observe/format.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/list/summary.h"

/* ---- shms ---- */

static const struct ow_column shms_columns[] = {
	{ "SIZE", 10, OW_COLUMN_RIGHT },
	{ "USED", 10, OW_COLUMN_RIGHT },
	{ "NAME", 40, 0 },
	{ NULL, 0, 0 },
};

static void list_segment(struct ow_listing *l, const char *path)
{
	char text[OW_FORMAT_MAX];
	uint64_t size, used;
	struct stat st;

	if (stat(path, &st) < 0)
		return;
	size = (uint64_t)st.st_size;
	used = (uint64_t)st.st_blocks * 512;
	if (l->json == NULL) {
		ow_grid_cell(l->grid, "%s", ow_format_bytes(size, text,
							    sizeof(text)));
		ow_grid_cell(l->grid, "%s", ow_format_bytes(used, text,
							    sizeof(text)));
		ow_grid_cell(l->grid, "%s", path);
		ow_grid_end_row(l->grid);
		return;
	}
	ow_json_row_begin(l->json);
	ow_json_str(l->json, "path", path);
	ow_json_uint(l->json, "size_bytes", size);
	ow_json_uint(l->json, "used_bytes", used);
	ow_json_row_end(l->json);
}

int ow_list_shms(struct ow_args *a)
{
	char folder[160], path[512];
	struct ow_listing l;
	struct ow_domain d;
	struct dirent *e;
	DIR *dir;

	if (ow_reach_own(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	ow_domain_folder(&d, folder, sizeof(folder));
	dir = opendir(folder);
	if (dir == NULL && errno != ENOENT)
		return ow_cmd_fail(a, "%s: %s", folder, strerror(errno));
	if (dir == NULL && access(d.shm_dir, R_OK | X_OK) < 0)
		return ow_cmd_fail(a, "%s: %s (NDRX_SHMPATH names the folder)",
				   d.shm_dir, strerror(errno));
	if (ow_listing_begin(&l, &a->form, shms_columns) != 0) {
		if (dir != NULL)
			closedir(dir);
		return ow_cmd_fail(a, "no memory");
	}
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%.255s", folder, e->d_name);
		list_segment(&l, path);
	}
	if (dir != NULL)
		closedir(dir);
	ow_listing_end(&l);
	return OW_EXIT_OK;
}

/* ---- shmcfg ---- */

static const struct ow_column shmcfg_columns[] = {
	{ "TABLE", 12, 0 },
	{ "USED", 10, OW_COLUMN_RIGHT },
	{ "MAX", 10, OW_COLUMN_RIGHT },
	{ "BYTES EACH", 10, OW_COLUMN_RIGHT },
	{ NULL, 0, 0 },
};

struct table_use {
	const char *name;
	uint64_t used, max, bytes;
};

static void list_table(struct ow_listing *l, const struct table_use *t)
{
	if (l->json == NULL) {
		ow_grid_cell(l->grid, "%s", t->name);
		ow_grid_cell(l->grid, "%" PRIu64, t->used);
		ow_grid_cell(l->grid, "%" PRIu64, t->max);
		ow_grid_cell(l->grid, "%" PRIu64, t->bytes);
		ow_grid_end_row(l->grid);
		return;
	}
	ow_json_row_begin(l->json);
	ow_json_str(l->json, "table", t->name);
	ow_json_uint(l->json, "used", t->used);
	ow_json_uint(l->json, "max", t->max);
	ow_json_uint(l->json, "bytes_each", t->bytes);
	ow_json_row_end(l->json);
}

int ow_list_shmcfg(struct ow_args *a)
{
	struct ow_listing l;
	struct ow_summary n;
	struct ow_observer v;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	ow_summary_count(&v, &n);
	if (ow_listing_begin(&l, &a->form, shmcfg_columns) != 0) {
		ow_observer_close(&v);
		return ow_cmd_fail(a, "no memory");
	}
	list_table(&l, &(struct table_use){ "servers", n.living + n.dead,
					    OW_SRV_MAX - 1,
					    sizeof(struct ow_srv) });
	list_table(&l, &(struct table_use){"services", ow_observer_services(&v),
					   OW_SVC_MAX, sizeof(struct ow_svc)});
	list_table(&l, &(struct table_use){ "offers", n.offers,
					    (uint64_t)OW_SRV_MAX * OW_ADV_MAX,
					    sizeof(struct ow_adv) });
	list_table(&l, &(struct table_use){ "clients", n.clients, OW_CLT_MAX,
					    sizeof(struct ow_clt) });
	list_table(&l, &(struct table_use){
			   "queue bytes",
			   atomic_load(&v.d.tables->head->mq_bytes),
			   v.d.mq_limit, 1 });
	ow_listing_end(&l);
	ow_observer_close(&v);
	return OW_EXIT_OK;
}
