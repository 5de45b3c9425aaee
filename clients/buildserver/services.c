/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - the services of a server, as option -s names them
 */
#include "clients/buildserver/services.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/cleanup.h"

/* ---- option -s ---- */

static bool is_function(const char *name)
{
	const char *p = name;

	if (!isalpha((unsigned char)*p) && *p != '_')
		return false;
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return *p == '\0' && p - name <= FUNCTION_NAME_MAX;
}

static int add_one(struct services *s, const char *name, const char *func,
		   char *why, size_t size)
{
	struct service *list;

	if (!is_function(func)) {
		snprintf(why, size, "\"%.64s\" is not the name of a function",
			 func);
		return -1;
	}
	if (strlen(name) > SERVICE_NAME_MAX) {
		snprintf(why, size, "the service %.64s has more than %d "
				    "characters", name, SERVICE_NAME_MAX);
		return -1;
	}
	list = realloc(s->list, (s->n + 1) * sizeof(*list));
	if (list == NULL) {
		snprintf(why, size, "out of memory");
		return -1;
	}
	s->list = list;
	strcpy(list[s->n].name, name);
	strcpy(list[s->n].func, func);
	s->n++;
	return 0;
}

/* "A,B:F", "A", ":F"; `text` is cut into pieces. */
static int add_text(struct services *s, char *text, char *why, size_t size)
{
	char *func = strchr(text, ':'), *name, *save = NULL;
	int r = 0;

	if (func != NULL)
		*func++ = '\0';
	if (*text == '\0' && func != NULL)
		return add_one(s, "", func, why, size);
	for (name = strtok_r(text, ",", &save); name != NULL && r == 0;
	     name = strtok_r(NULL, ",", &save))
		r = add_one(s, name, func != NULL ? func : name, why, size);
	return r;
}

static int add_file(struct services *s, const char *path, char *why,
		    size_t size)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = fopen(path, "re");
	char line[1024], *word;
	int r = 0;

	if (f == NULL) {
		snprintf(why, size, "%s: %s", path, strerror(errno));
		return -1;
	}
	while (r == 0 && fgets(line, sizeof(line), f) != NULL) {
		word = line + strspn(line, " \t");
		word[strcspn(word, " \t\r\n")] = '\0';
		if (*word != '\0' && *word != '#')
			r = add_text(s, word, why, size);
	}
	return r;
}

int services_add(struct services *s, const char *text, char *why, size_t size)
{
	OW_CLEANUP(ow_cleanup_freep) char *copy = NULL;

	if (text[0] == '@')
		return add_file(s, text + 1, why, size);
	copy = strdup(text);
	if (copy == NULL) {
		snprintf(why, size, "out of memory");
		return -1;
	}
	return add_text(s, copy, why, size);
}

void services_free(struct services *s)
{
	free(s->list);
	s->list = NULL;
	s->n = 0;
}

/* ---- the source ---- */

/* Is the function that of an earlier row, too? */
static bool is_declared(const struct services *s, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (strcmp(s->list[i].func, s->list[row].func) == 0)
			return true;
	return false;
}

void services_write_main(const struct services *s, const char *xa_switch,
			 int threads, FILE *out)
{
	size_t i;

	fputs("/* Made by buildserver. */\n"
	      "#include <stddef.h>\n#include <string.h>\n"
	      "#include <atmi.h>\n\n"
	      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n", out);
	for (i = 0; i < s->n; i++)
		if (!is_declared(s, i))
			fprintf(out, "extern void %s(TPSVCINFO *);\n",
				s->list[i].func);
	if (xa_switch[0] != '\0')
		fprintf(out, "extern struct xa_switch_t %s;\n", xa_switch);
	fputs("#pragma weak tpsvrinit\n#pragma weak tpsvrdone\n"
	      "extern int tpsvrinit(int, char **);\n"
	      "extern void tpsvrdone(void);\n"
	      "extern int tpsvrthrinit(int, char **);\n"
	      "extern void tpsvrthrdone(void);\n"
	      "#ifdef __cplusplus\n}\n#endif\n\n"
	      "static struct tmdsptchtbl_t services[] = {\n", out);
	for (i = 0; i < s->n; i++)
		fprintf(out, "\t{ (char *)\"%s\", (char *)\"%s\", %s, 0, 0 "
			     "},\n", s->list[i].name, s->list[i].func,
			s->list[i].func);
	fputs("\t{ NULL, NULL, NULL, 0, 0 },\n};\n\n"
	      "int main(int argc, char **argv)\n{\n"
	      "\tstruct tmsvrargs_t args;\n\n"
	      "\tmemset(&args, 0, sizeof(args));\n"
	      "\targs.svctab = services;\n"
	      "\targs.p_tpsvrinit = tpsvrinit;\n"
	      "\targs.p_tpsvrdone = tpsvrdone;\n"
	      "\targs.p_tpsvrthrinit = tpsvrthrinit;\n"
	      "\targs.p_tpsvrthrdone = tpsvrthrdone;\n", out);
	if (xa_switch[0] != '\0')
		fprintf(out, "\targs.xa_switch = &%s;\n", xa_switch);
	fprintf(out, "\t_tmbuilt_with_thread_option = %d;\n"
		     "\treturn _tmstartserver(argc, argv, &args);\n}\n",
		threads);
}
