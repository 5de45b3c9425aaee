/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.c - import: make a configuration from one of Oracle Tuxedo
 *
 * The result is loaded as ndrxd would load it: an import gives a configuration
 * that ndrxd accepts, or an error. The report is written in both cases: it
 * says what to change.
 */
#include "clients/xadmin/import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/xadmin/command/command.h"
#include "clients/xadmin/setup/folder.h"
#include "libubf/base/cleanup.h"
#include "libndrx/config/config.h"
#include "libubf/base/printable.h"

#define UBB_MAX ((size_t)8 * 1024 * 1024)

/* The texts that an import makes. */
struct texts {
	char *xml, *env, *report, *srvids;
	size_t xml_len, env_len, report_len, srvids_len;
};

static char *read_file(const struct ow_args *a, const char *path)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = fopen(path, "re");
	char *text;
	size_t n;

	if (f == NULL) {
		ow_cmd_fail(a, "%s: %s", path, strerror(errno));
		return NULL;
	}
	text = malloc(UBB_MAX + 1);
	n = text != NULL ? fread(text, 1, UBB_MAX + 1, f) : 0;
	if (text == NULL || ferror(f) || n > UBB_MAX) {
		ow_cmd_fail(a, "%s: %s", path,
			    n > UBB_MAX ? "too large" : strerror(errno));
		free(text);
		return NULL;
	}
	text[n] = '\0';
	if (strlen(text) != n) {
		ow_cmd_fail(a, "%s: is not a text file (a TUXCONFIG is "
			       "binary: `tmunloadcf` of Tuxedo makes a text "
			       "of it)", path);
		free(text);
		return NULL;
	}
	return text;
}

static void translate(struct ow_import *im, const char *path)
{
	fprintf(im->report, "# %s: what became of it\n"
			    "# taken: means the same here; look: changed, check it; "
			    "none: no counterpart\n", path);
	fprintf(im->xml, "<?xml version=\"1.0\"?>\n<!-- from %s -->\n"
			 "<endurox>\n\t<appconfig>\n"
			 "\t\t<sanity>1</sanity>\n\t</appconfig>\n",
		strstr(path, "--") == NULL ? path : "a UBBCONFIG");
	ow_import_machines(im);
	ow_import_groups(im);
	fputs("\t<defaults>\n\t\t<autokill>Y</autokill>\n"
	      "\t\t<pingtime>10</pingtime>\n\t\t<ping_max>20</ping_max>\n"
	      "\t\t<start_max>60</start_max>\n\t\t<end_max>20</end_max>\n"
	      "\t\t<killtime>5</killtime>\n\t</defaults>\n", im->xml);
	ow_import_servers(im);
	ow_import_services(im);
	ow_import_security(im);
	ow_import_cluster(im);
	fputs("</endurox>\n", im->xml);
	ow_import_say_rest(im);
	if (im->remotes != NULL)
		ow_remotes_put_report(im->remotes, im->report, im->counts);
}

/* Read the file and make all texts. An exit code. */
static int make_texts(struct ow_args *a, const char *path,
		      struct ow_import *im, struct texts *t)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = read_file(a, path);
	char why[OW_UBB_WHY];
	size_t i;
	int r;

	if (text == NULL)
		return OW_EXIT_FAILED;
	r = ow_ubb_read(text, &im->ubb, why);
	if (r != 0)
		return ow_cmd_fail(a, "%s:%s", path, r > 0 ? why
							  : " no memory");
	im->xml = open_memstream(&t->xml, &t->xml_len);
	im->env = open_memstream(&t->env, &t->env_len);
	im->report = open_memstream(&t->report, &t->report_len);
	im->srvids = open_memstream(&t->srvids, &t->srvids_len);
	if (im->xml != NULL && im->env != NULL && im->report != NULL &&
	    im->srvids != NULL)
		translate(im, path);
	else
		r = -ENOMEM;
	if (im->xml != NULL)
		fclose(im->xml);
	if (im->env != NULL)
		fclose(im->env);
	if (im->report != NULL)
		fclose(im->report);
	if (im->srvids != NULL)
		fclose(im->srvids);
	for (i = 0; i < im->n_spaces; i++)
		fclose(im->spaces[i].queues);
	if (r == 0 && im->fault[0] != '\0')
		return ow_cmd_fail(a, "%s:%s", path, im->fault);
	return r == 0 ? OW_EXIT_OK : ow_cmd_fail(a, "no memory");
}

/* Would ndrxd accept the result? An exit code. */
static int check_xml(struct ow_args *a, const struct texts *t)
{
	OW_CLEANUP(ow_config_freep) struct ow_config *config = NULL;
	struct ow_config_error err;

	if (ow_config_load_mem("ndrxconfig.xml", t->xml, t->xml_len, &err,
			       &config) == 0)
		return OW_EXIT_OK;
	return ow_cmd_fail(a, "the result has an error: %s", err.text);
}

/* The folder that the import is to make. */
static void describe_folder(struct ow_args *a, struct ow_import *im,
			    struct ow_folder *f)
{
	char name[OW_FOLDER_NAME + 1];
	int node = im->chosen && im->node > 0 ? im->node : 1;

	f->a = a;
	if (im->remotes != NULL)
		node = (int)ow_remotes_node(im->remotes);
	snprintf(f->node, sizeof(f->node), "%d", node);
	strcpy(f->timeout, im->timeout[0] != '\0' ? im->timeout : "60");
	snprintf(f->name, sizeof(f->name), "%s",
		 ow_import_domain_name(im, name, sizeof(name)));
	snprintf(f->prefix, sizeof(f->prefix), "/%.30s", name);
}

/* Write a file that belongs to the import alone, over an older one. */
static int write_own(struct ow_folder *f, const char *file, const char *text)
{
	bool overwrite = f->overwrite;
	int r;

	f->overwrite = true;
	r = ow_folder_write(f, file, text);
	f->overwrite = overwrite;
	return r;
}

/* Is there a configuration that must be kept? An exit code. */
static int check_kept(const struct ow_folder *f)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/conf/ndrxconfig.xml", f->path);
	if (f->overwrite || access(path, F_OK) != 0)
		return OW_EXIT_OK;
	return ow_cmd_fail(f->a, "%s exists and was kept; -f overwrites it; "
			   "the report is conf/import.report", path);
}

/* The line of the queue in a file of definitions; NULL: it has none. */
static const char *find_queue(const char *text, const char *line)
{
	size_t n = strcspn(line, ",\n") + 1;
	const char *p;

	for (p = text; p != NULL; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (*line != '#' && strncmp(p, line, n) == 0)
			return p;
	}
	return NULL;
}

/* Write a line that the file has: a queue that TMQFORWARD serves now becomes an
 * automatic one, and keeps the rest. */
static void put_kept(FILE *out, char *line, const char *ours)
{
	static const char plain[] = ",svcnm=-,autoq=n";
	char *at = strstr(line, plain);

	if (ours == NULL || at == NULL ||
	    strncmp(ours + strcspn(ours, ","), plain, strlen(plain)) == 0)
		fprintf(out, "%s\n", line);
	else
		fprintf(out, "%.*s%s\n", (int)strcspn(ours, "\n"), ours,
			at + strlen(plain));
}

/* A queue that the file `old` has not: qmadmin may have given the space an error
 * queue (clients/tm/definitions.h), which this may be. */
static void put_new(FILE *out, const char *line, const char *old)
{
	const char *mark = strstr(old, "# errorq=");
	const char *errorq = mark != NULL ? mark + strlen("# errorq=") : "";
	size_t n = strcspn(errorq, "\n");

	fputs(line, out);
	if (n > 0 && (strcspn(line, ",") != n || strncmp(line, errorq, n) != 0))
		fprintf(out, ",errorq=%.*s", (int)n, errorq);
	fputc('\n', out);
}

/* Definitions of queues. A file that is there is kept, for queues are made in it
 * (qmadmin); queues that it has not are added, but not the line for all of them. */
static int write_space(struct ow_folder *f, const struct ow_import_space *space)
{
	OW_CLEANUP(ow_cleanup_freep) char *old = NULL, *all = NULL;
	OW_CLEANUP(ow_cleanup_freep) char *path = NULL, *kept = NULL;
	char name[64], *line, *rest;
	FILE *out;
	size_t len;

	snprintf(name, sizeof(name), "conf/%s.queues", space->name);
	if (asprintf(&path, "%s/%s", f->path, name) < 0 ||
	    access(path, F_OK) != 0)
		return write_own(f, name, space->text);
	old = read_file(f->a, path);
	kept = old != NULL ? strdup(old) : NULL;
	out = kept != NULL ? open_memstream(&all, &len) : NULL;
	if (out == NULL)
		return OW_EXIT_FAILED;
	for (line = strtok_r(kept, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		put_kept(out, line, find_queue(space->text, line));
	for (line = strtok_r(space->text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		if (strchr("#@", line[0]) == NULL &&
		    find_queue(old, line) == NULL)
			put_new(out, line, old);
	fclose(out);
	return write_own(f, name, all);
}

static int write_spaces(struct ow_folder *f, const struct ow_import *im)
{
	size_t i;
	int r = OW_EXIT_OK;

	for (i = 0; i < im->n_spaces && r == OW_EXIT_OK; i++)
		r = write_space(f, &im->spaces[i]);
	return r;
}

static int write_files(struct ow_args *a, struct ow_import *im,
		       const struct texts *t)
{
	struct ow_folder f = { .more = t->env,
			       .overwrite = ow_args_has(a, 'f') };
	OW_CLEANUP(ow_cleanup_freep) char *word = NULL;
	const char *path = ow_args_value(a, 'o');
	int r, good;

	describe_folder(a, im, &f);
	r = ow_folder_make(&f, path != NULL ? path : ".");
	if (r == OW_EXIT_OK)
		r = write_own(&f, "conf/import.report", t->report);
	if (r != OW_EXIT_OK)
		return r;
	good = check_xml(a, t);
	if (good != OW_EXIT_OK) {
		fprintf(stderr, "it is in %s/conf/ndrxconfig.xml.wrong\n",
			f.path);
		write_own(&f, "conf/ndrxconfig.xml.wrong", t->xml);
		return good;
	}
	r = check_kept(&f);
	if (r == OW_EXIT_OK)
		r = write_spaces(&f, im);
	if (r == OW_EXIT_OK)
		r = write_own(&f, "conf/srvids", t->srvids);
	if (r == OW_EXIT_OK)
		r = ow_folder_write(&f, "conf/ndrxconfig.xml", t->xml);
	if (r == OW_EXIT_OK)
		r = ow_folder_write_setenv(&f);
	word = ow_folder_word(f.path);
	if (r == OW_EXIT_OK && word != NULL)
		fprintf(stderr, "Domain %s is in %s. Read conf/import.report, "
				"then:\n\t. %s/setenv\n\txadmin testcfg\n"
				"\txadmin start -y\n",
			f.name, f.path, word);
	return r;
}

static void print_report(const struct ow_import *im, const struct texts *t)
{
	ow_print(stdout, "%s", t->report);
	fflush(stdout);
	fprintf(stderr, "%u taken, %u to look at, %u without counterpart\n",
		im->counts[OW_IMPORT_TAKEN], im->counts[OW_IMPORT_LOOK],
		im->counts[OW_IMPORT_NONE]);
}

static void free_texts(struct ow_import *im, struct texts *t)
{
	size_t i;

	free(t->xml);
	free(t->env);
	free(t->report);
	free(t->srvids);
	for (i = 0; i < im->n_spaces; i++)
		free(im->spaces[i].text);
	ow_remotes_free(im->remotes);
	ow_ubb_free(&im->ubb);
}

int ow_import_look(struct ow_args *a, const char *path, char **ret_report)
{
	OW_CLEANUP(ow_cleanup_freep) struct ow_import *im = NULL;
	struct texts t = { NULL };
	int r;

	im = calloc(1, sizeof(*im));
	if (im == NULL)
		return ow_cmd_fail(a, "no memory");
	r = make_texts(a, path, im, &t);
	if (r == OW_EXIT_OK) {
		*ret_report = t.report;
		t.report = NULL;
	}
	free_texts(im, &t);
	return r;
}

/* Read a DMCONFIG; *ret is to be freed. An exit code. */
static int read_domains(const struct ow_args *a, const char *path,
			struct ow_remotes **ret)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = read_file(a, path);
	char why[OW_UBB_WHY];
	int r;

	if (text == NULL)
		return OW_EXIT_FAILED;
	r = ow_remotes_read(text, ret, why);
	return r == 0 ? OW_EXIT_OK
		      : ow_cmd_fail(a, "%s:%s", path, r > 0 ? why
							   : " no memory");
}

/* A DMCONFIG alone: print the entries and the report. */
static int look_at_domains(struct ow_args *a, const char *path)
{
	unsigned int counts[OW_IMPORT_GRADES] = { 0 };
	struct ow_remotes *remotes = NULL;
	int r = read_domains(a, path, &remotes);

	if (r != OW_EXIT_OK)
		return r;
	ow_remotes_put_links(remotes, stdout);
	ow_remotes_put_report(remotes, stdout, counts);
	ow_remotes_free(remotes);
	return fflush(stdout) == 0 ? OW_EXIT_OK : OW_EXIT_FAILED;
}

/* FILE of the words "FORMAT FILE" that begin at `first`; NULL. */
static const char *file_of(const struct ow_args *a, int first,
			   const char *format)
{
	return a->n_rest >= first + 2 && strcmp(a->rest[first], format) == 0
		   ? a->rest[first + 1] : NULL;
}

int ow_import_run(struct ow_args *a)
{
	OW_CLEANUP(ow_cleanup_freep) struct ow_import *im = NULL;
	const char *ubb = file_of(a, 0, "ubbconfig");
	const char *domains = file_of(a, ubb != NULL ? 2 : 0, "dmconfig");
	struct texts t = { NULL };
	int r = OW_EXIT_OK;

	if (a->n_rest != 2 * (ubb != NULL) + 2 * (domains != NULL) ||
	    a->n_rest == 0)
		return ow_cmd_misused(a, "give a format and a file: ubbconfig FILE, "
					 "dmconfig FILE, or both");
	if (ubb == NULL)
		return look_at_domains(a, domains);
	im = calloc(1, sizeof(*im));
	if (im == NULL)
		return ow_cmd_fail(a, "no memory");
	im->machine = ow_args_value(a, OW_ARGS_MACHINE);
	im->chosen = im->machine != NULL;
	if (domains != NULL)
		r = read_domains(a, domains, &im->remotes);
	if (r == OW_EXIT_OK)
		r = make_texts(a, ubb, im, &t);
	if (r == OW_EXIT_OK && ow_args_has(a, 'n')) {
		ow_print(stdout, "%s", t.xml);
		r = check_xml(a, &t);
		print_report(im, &t);
	} else if (r == OW_EXIT_OK) {
		r = write_files(a, im, &t);
		print_report(im, &t);
	}
	free_texts(im, &t);
	return r;
}
