/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relaxng.c - the grammar written as a RELAX NG schema
 *
 * One rule (<define>) per element, in the order in which the elements are
 * first used, and one for the fields that an element shares with its defaults.
 * Every value may be a ${NAME} instead.
 */
#include "libndrx/config/relaxng.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/config/grammar.h"

enum { RULES_MAX = 64 };

struct writer {
	FILE *out;
	const char *rules[RULES_MAX]; /* written so far */
	size_t n_rules;
};

static const char head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
    "<!--\n"
    "\tndrxconfig.rng - schema of ndrxconfig.xml (RELAX NG)\n"
    "\n"
    "\tWritten from the tables in libndrx/config/fields.c and grammar.c, by\n"
    "\tthe build target \"schema\". Do not edit.\n"
    "\n"
    "\tndrxd and xadmin validate every configuration against it when they\n"
    "\tload one, after their own check, whose messages say more. Editors\n"
    "\tcomplete and check while you type. Emacs (nxml-mode): C-c C-s C-f and\n"
    "\tthis file. VS Code (XML extension), IntelliJ and others take, at the\n"
    "\thead of a configuration,\n"
    "\t<?xml-model href=\"file:///usr/share/onewake/ndrxconfig.rng\"?>\n"
    "\n"
    "\tAny value may contain ${NAME}; the value of the variable is checked\n"
    "\twhen ndrxd or xadmin loads the file.\n"
    "-->\n"
    "<grammar xmlns=\"http://relaxng.org/ns/structure/1.0\"\n"
    "\txmlns:a=\"http://relaxng.org/ns/compatibility/annotations/1.0\"\n"
    "\tdatatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\">\n"
    "\n"
    "<start>\n"
    "\t<choice>\n"
    "\t\t<element name=\"endurox\"><ref name=\"domain\"/></element>\n"
    "\t\t<element name=\"onewake\"><ref name=\"domain\"/></element>\n"
    "\t</choice>\n"
    "</start>\n"
    "\n"
    "<!-- ================= kinds of values ================= -->\n"
    "\n"
    "<define name=\"variable\">\n"
    "\t<data type=\"token\"><param name=\"pattern\">.*[$]\\{.*</param>"
    "</data>\n"
    "</define>\n"
    "<define name=\"text\"><text/></define>\n";

#define TIME_UNIT \
	" ?([Mm][Ss]|[SsMmHhDd]|[Ss][Ee][Cc]|[Mm][Ii][Nn])?"

/* Kinds of values with one form; the others are written where they are used.
 */
static const struct {
	const char *rule;
	const char *comment;
	const char *pattern;
} kinds[] = {
	{ "yesno", NULL,
	  "[YyNn]|[-+]?[0-9]+|[Yy][Ee][Ss]|[Nn][Oo]|[Tt][Rr][Uu][Ee]|"
	  "[Ff][Aa][Ll][Ss][Ee]" },
	{ "time", "5, 1.5: in the unit of the element; 250ms, 1.5s, 2m, 1h, 1d",
	  "[0-9]+(\\.[0-9]+)?" TIME_UNIT },
	{ "positivetime", "the same, but not 0",
	  "(0*[1-9][0-9]*(\\.[0-9]+)?|0+\\.0*[1-9][0-9]*)" TIME_UNIT },
	{ "size", "bytes, with K, M, G, T; -1: no limit",
	  "-1|[0-9]+(\\.[0-9]+)? ?[KkMmGgTt]?" },
	{ "signals", "numbers, separated by comma or space",
	  "[, ]*[0-9]{1,2}([, ]+[0-9]{1,2}){0,2}[, ]*" },
};

static void put_escaped(FILE *out, const char *s)
{
	for (; *s != '\0'; s++) {
		if (*s == '<')
			fputs("&lt;", out);
		else if (*s == '&')
			fputs("&amp;", out);
		else
			fputc(*s, out);
	}
}

static void put_param(FILE *out, const char *name, const char *value)
{
	fprintf(out, "<param name=\"%s\">", name);
	put_escaped(out, value);
	fputs("</param>", out);
}

static void put_kinds(FILE *out)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].comment != NULL)
			fprintf(out, "<!-- %s -->\n", kinds[i].comment);
		fprintf(out,
			"<define name=\"%s\">\n\t<choice>\n"
			"\t\t<data type=\"token\">\n\t\t\t",
			kinds[i].rule);
		put_param(out, "pattern", kinds[i].pattern);
		fputs("\n\t\t</data>\n\t\t<ref name=\"variable\"/>\n"
		      "\t</choice>\n</define>\n", out);
	}
}

/* ---- the values of a field ---- */

static void put_words(FILE *out, const char *words)
{
	while (*words != '\0') {
		int n = (int)strcspn(words, " ");

		fprintf(out, "<value>%.*s</value>", n, words);
		words += n;
		words += strspn(words, " ");
	}
}

static void put_number(FILE *out, const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	put_param(out, name, text);
}

/* What the field may be, unless it is a variable. */
static void put_limits(FILE *out, const struct ow_field *f)
{
	bool number = f->kind == OW_FIELD_INT || f->kind == OW_FIELD_SHARE;

	if (f->words != NULL)
		put_words(out, f->words);
	if (f->words != NULL && !number)
		return;
	fprintf(out, "<data type=\"%s\">", number ? "integer" : "token");
	if (number)
		put_number(out, "minInclusive", f->lo);
	if (number)
		put_number(out, "maxInclusive", f->hi);
	else if (f->hi > 0)
		put_number(out, "maxLength", f->hi);
	if (f->pattern != NULL)
		put_param(out, "pattern", f->pattern);
	fputs("</data>", out);
}

static void put_values(FILE *out, const struct ow_field *f)
{
	static const char *const rules[OW_FIELD_KINDS] = {
		[OW_FIELD_BOOL] = "yesno",    [OW_FIELD_CYCLES] = "time",
		[OW_FIELD_SECONDS] = "time",  [OW_FIELD_SIZE] = "size",
		[OW_FIELD_KILLSEQ] = "signals", [OW_FIELD_COMMAND] = "text",
		[OW_FIELD_SCALE] = "text",
	};
	const char *rule = rules[f->kind];

	if ((f->flags & OW_FIELD_POSITIVE) != 0)
		rule = "positivetime";
	if (f->kind == OW_FIELD_TEXT && f->words == NULL && f->hi == 0 &&
	    f->pattern == NULL)
		rule = "text";
	if (rule != NULL) {
		fprintf(out, "<ref name=\"%s\"/>", rule);
		return;
	}
	fputs("<choice>", out);
	put_limits(out, f);
	fputs("<ref name=\"variable\"/></choice>", out);
}

/* ---- fields ---- */

static void put_doc(FILE *out, const char *doc, const char *initial)
{
	fputs("<a:documentation>", out);
	put_escaped(out, doc != NULL ? doc : "");
	if (initial != NULL)
		fprintf(out, "%sDefault: %s.", doc != NULL ? " " : "",
			initial);
	fputs("</a:documentation>", out);
}

/* `count`: how often it may be there, an element of RELAX NG; NULL: once. */
static void put_field(FILE *out, const struct ow_field *f, const char *kind,
		      const char *count, const char *indent)
{
	const char *open = count != NULL ? "<" : "";
	const char *close = count != NULL ? ">" : "";

	fprintf(out, "%s%s%s%s<%s name=\"%s\">", indent, open,
		count != NULL ? count : "", close, kind, f->name);
	if (f->doc != NULL || f->initial != NULL) {
		fprintf(out, "\n%s\t", indent);
		put_doc(out, f->doc, f->initial);
	}
	fprintf(out, "\n%s\t", indent);
	put_values(out, f);
	fprintf(out, "\n%s</%s>%s%s%s\n", indent, kind,
		count != NULL ? "</" : "", count != NULL ? count : "", close);
}

/* Elements may be there several times, the last one counts; attributes
 * cannot. */
static const char *count_of(bool attribute, bool optional)
{
	if (attribute)
		return optional ? "optional" : NULL;
	return optional ? "zeroOrMore" : "oneOrMore";
}

static bool can_have_default(const struct ow_field *f)
{
	return (f->flags & OW_FIELD_NO_DEFAULT) == 0 && f->missing == NULL;
}

/* The rule of the fields that may be defaults. */
static void put_table(FILE *out, const struct ow_element *e,
		      const struct ow_field_table *t)
{
	bool attrs = t == e->attrs;

	fprintf(out, "\n<define name=\"%s\">\n%s", t->rule,
		attrs ? "" : "\t<interleave>\n");
	for (size_t i = 0; i < t->n; i++) {
		const struct ow_field *f = &t->fields[i];

		if (can_have_default(f) &&
		    ow_config_child(e, f->name) == NULL)
			put_field(out, f, attrs ? "attribute" : "element",
				  count_of(attrs, true),
				  attrs ? "\t" : "\t\t");
	}
	fprintf(out, "%s</define>\n", attrs ? "" : "\t</interleave>\n");
}

/* The fields of the table that may be defaults. */
static size_t count_defaults(const struct ow_field_table *t)
{
	size_t n = 0;

	for (size_t i = 0; t != NULL && i < t->n; i++)
		n += can_have_default(&t->fields[i]);
	return n;
}

/* The patterns that put_content() writes next to each other. */
static size_t count_patterns(const struct ow_element *e)
{
	size_t n = count_defaults(e->values);

	n = (e->values == NULL ? 0 : e->values->n - n) + (n > 0);
	for (size_t i = 0; e->children != NULL && e->children[i] != NULL; i++)
		n++;
	return n;
}

/* Any attribute; those of the table for people. */
static void put_open(FILE *out, const struct ow_field_table *t,
		     const char *indent)
{
	fprintf(out, "%s<zeroOrMore><attribute>\n%s\t<anyName/>\n%s\t"
		"<a:documentation>", indent, indent, indent);
	for (size_t i = 0; i < t->n; i++)
		fprintf(out, "%s%s", i == 0 ? "" : " ", t->fields[i].name);
	fprintf(out, "</a:documentation>\n%s\t<text/>\n%s"
		"</attribute></zeroOrMore>\n", indent, indent);
}

/* The fields that have no default, and the rule of the others. */
static void put_fields(FILE *out, const struct ow_element *e,
		       const struct ow_field_table *t, const char *indent)
{
	bool attrs = t == e->attrs;

	if (t != NULL && t->open) {
		put_open(out, t, indent);
		return;
	}
	for (size_t i = 0; t != NULL && i < t->n; i++) {
		const struct ow_field *f = &t->fields[i];

		if (!can_have_default(f) && e->defaults_of == NULL)
			put_field(out, f, attrs ? "attribute" : "element",
				  count_of(attrs, f->missing == NULL), indent);
	}
	if (count_defaults(t) > 0)
		fprintf(out, "%s<ref name=\"%s\"/>\n", indent, t->rule);
}

/* ---- elements ---- */

static const char *rule_of(const struct ow_element *e)
{
	return e->rule != NULL ? e->rule : e->name;
}

/* A child may be there several times. A field of its name is another form of
 * it. */
static void put_child(FILE *out, const struct ow_element *e,
		      const struct ow_element *child, const char *indent)
{
	int i = ow_config_field_find(e->values, child->name);
	static const char count[] = "zeroOrMore";
	char inner[8];

	if (i < 0) {
		fprintf(out, "%s<%s><ref name=\"%s\"/></%s>\n", indent, count,
			rule_of(child), count);
		return;
	}
	snprintf(inner, sizeof(inner), "%s\t\t", indent);
	fprintf(out, "%s<%s>\n%s\t<choice>\n%s<ref name=\"%s\"/>\n", indent,
		count, indent, inner, rule_of(child));
	put_field(out, &e->values->fields[i], "element", NULL, inner);
	fprintf(out, "%s\t</choice>\n%s</%s>\n", indent, indent, count);
}

/* Elements in any order; of one kind without <interleave>. */
static void put_content(FILE *out, const struct ow_element *e)
{
	const struct ow_element *const *c = e->children;
	bool many = count_patterns(e) > 1;
	const char *indent = many ? "\t\t\t" : "\t\t";

	if (e->text)
		fputs("\t\t<text/>\n", out);
	if (many)
		fputs("\t\t<interleave>\n", out);
	put_fields(out, e, e->values, indent);
	for (; c != NULL && *c != NULL; c++)
		put_child(out, e, *c, indent);
	if (many)
		fputs("\t\t</interleave>\n", out);
}

/* True the first time. */
static bool is_new_rule(struct writer *w, const char *rule)
{
	for (size_t i = 0; i < w->n_rules; i++) {
		if (strcmp(w->rules[i], rule) == 0)
			return false;
	}
	assert(w->n_rules < RULES_MAX);
	w->rules[w->n_rules++] = rule;
	return true;
}

/* The element, its shared fields, its children; each once. */
static void put_element(struct writer *w, const struct ow_element *e)
{
	const struct ow_element *const *c = e->children;
	bool root = e == &ow_config_root;

	if (!is_new_rule(w, rule_of(e)))
		return;
	fprintf(w->out, "\n<define name=\"%s\">\n", rule_of(e));
	if (!root)
		fprintf(w->out, "\t<element name=\"%s\">\n", e->name);
	if (e->doc != NULL) {
		fputs("\t\t", w->out);
		put_doc(w->out, e->doc, NULL);
		fputc('\n', w->out);
	}
	put_fields(w->out, e, e->attrs, "\t\t");
	put_content(w->out, e);
	fprintf(w->out, "%s</define>\n", root ? "" : "\t</element>\n");
	if (count_defaults(e->attrs) > 0 && !e->attrs->open &&
	    is_new_rule(w, e->attrs->rule))
		put_table(w->out, e, e->attrs);
	if (count_defaults(e->values) > 0 && is_new_rule(w, e->values->rule))
		put_table(w->out, e, e->values);
	for (; c != NULL && *c != NULL; c++)
		put_element(w, *c);
}

int ow_config_relaxng(char **ret_text, size_t *ret_len)
{
	struct writer w = { .out = open_memstream(ret_text, ret_len) };
	bool failed;

	if (w.out == NULL)
		return -ENOMEM;
	fputs(head, w.out);
	put_kinds(w.out);
	put_element(&w, &ow_config_root);
	fputs("\n</grammar>\n", w.out);
	failed = ferror(w.out) != 0;
	if (fclose(w.out) == 0 && !failed)
		return 0;
	free(*ret_text);
	*ret_text = NULL;
	return -ENOMEM;
}
