/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mibcl.c - sends administrative requests, one per line of standard input
 *
 * A line: `login NAME PASSWORD`, or `adm` (tpadmcall) or the name of a service, then FIELD=VALUE. The
 * value @ of TA_CURSOR is the cursor of the reply before; values of TA_FILTER
 * are names of fields. Prints a line of JSON for each request.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <atmi.h>
#include <tpadm.h>
#include <ubf.h>

#define SIZE 32768

static char cursor[128];

static int add(UBFH *b, char *word)
{
	char *value = strchr(word, '='), number[24];
	BFLDID id;

	if (value == NULL)
		return -1;
	*value++ = '\0';
	id = Bfldid(word);
	if (strcmp(word, "TA_CURSOR") == 0 && strcmp(value, "@") == 0)
		value = cursor;
	if (strcmp(word, "TA_FILTER") == 0) {
		snprintf(number, sizeof(number), "%d", (int)Bfldid(value));
		value = number;
	}
	return id == BBADFLDID ? -1 : CBadd(b, id, value, 0, BFLD_STRING);
}

static void note_cursor(UBFH *b)
{
	BFLDLEN len = sizeof(cursor);

	cursor[0] = '\0';
	if (b != NULL)
		Bget(b, Bfldid((char *)"TA_CURSOR"), 0, cursor, &len);
}

/* A member of the JSON, whatever the text. */
static void print_text(const char *name, const char *text)
{
	printf("\"%s\": \"", name);
	for (; *text != '\0'; text++)
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else
			putchar((unsigned char)*text < ' ' ? ' ' : *text);
	printf("\", ");
}

static int is_string(char *data)
{
	char type[9] = "", sub[34] = "";

	return data != NULL && tptypes(data, type, sub) >= 0 &&
	       strcmp(type, "STRING") == 0;
}

static void request(char *line)
{
	char *to = strtok(line, " \n"), *word, *reply = NULL;
	char *b = tpalloc((char *)"UBF", NULL, SIZE);
	static char json[SIZE * 4];
	long len = 0;
	int r;

	while ((word = strtok(NULL, " \n")) != NULL)
		if (add((UBFH *)b, word) != 0) {
			fprintf(stderr, "%s: %s\n", word, Bstrerror(Berror));
			exit(2);
		}
	r = strcmp(to, "adm") == 0
		? tpadmcall((UBFH *)b, (UBFH **)&reply, 0)
		: tpcall(to, b, 0, &reply, &len, 0);
	printf("{\"ret\": %d, \"err\": \"%s\", ", r,
	       r == 0 ? "OK" : tpecodestr(tperrno));
	printf("\"urcode\": %ld, ", tpurcode);
	print_text("why", r == 0 ? "" : tpstrerror(tperrno));
	print_text("text", is_string(reply) ? reply : "");
	note_cursor(is_string(reply) ? NULL : (UBFH *)reply);
	if (reply == NULL || is_string(reply) || tpubftojson((UBFH *)reply, json, sizeof(json)))
		strcpy(json, "{}");
	printf("\"reply\": %s}\n", json);
	fflush(stdout);
	tpfree(b);
	if (reply != NULL)
		tpfree(reply);
}

/* login NAME PASSWORD */
static void login(char *line)
{
	TPINIT *p = (TPINIT *)tpalloc((char *)"TPINIT", NULL, sizeof(TPINIT));

	strtok(line, " \n");
	snprintf(p->usrname, sizeof(p->usrname), "%s", strtok(NULL, " \n"));
	snprintf(p->passwd, sizeof(p->passwd), "%s", strtok(NULL, " \n"));
	if (tpinit(p) != 0)
		fprintf(stderr, "login: %s\n", tpstrerror(tperrno));
	tpfree((char *)p);
}

/* Wrong arguments, and buffers that are too small or the same. */
static void abuse(void)
{
	char *b = tpalloc((char *)"UBF", NULL, SIZE), *small, *text;
	UBFH *out = NULL;
	char *stale = tpalloc((char *)"UBF", NULL, SIZE);
	int r[6], e[6], i;

	small = tpalloc((char *)"UBF", NULL, 0);
	text = tpalloc((char *)"STRING", NULL, 10);
	tpfree(stale);
	CBadd((UBFH *)b, Bfldid((char *)"TA_OPERATION"), (char *)"GET", 0,
	      BFLD_STRING);
	CBadd((UBFH *)b, Bfldid((char *)"TA_CLASS"), (char *)"T_SERVER", 0,
	      BFLD_STRING);
#define TRY(i, call) (r[i] = (call), e[i] = tperrno)
	TRY(0, tpadmcall(NULL, &out, 0));
	TRY(1, tpadmcall((UBFH *)b, NULL, 0));
	TRY(2, tpadmcall((UBFH *)stale, &out, 0));
	TRY(3, tpadmcall((UBFH *)text, &out, 0));
	out = (UBFH *)text;
	TRY(4, tpadmcall((UBFH *)b, &out, 0));
	out = (UBFH *)small;
	TRY(5, tpadmcall((UBFH *)b, &out, 0));
	printf("{\"ret\": %d, \"err\": \"", r[5]);
	for (i = 0; i < 5; i++)
		printf("%s ", r[i] == -1 ? tpecodestr(e[i]) : "OK");
	tpfree((char *)out);
	out = (UBFH *)b; /* the reply takes the place of the request */
	printf("%d\", \"reply\": {}}\n", tpadmcall((UBFH *)b, &out, 0));
	tpfree((char *)out);
	tpfree(text);
}

int main(void)
{
	static char line[4096];

	while (fgets(line, sizeof(line), stdin) != NULL)
		if (strcmp(line, "abuse\n") == 0)
			abuse();
		else if (strncmp(line, "login ", 6) == 0)
			login(line);
		else if (line[0] != '\n')
			request(line);
	return tpterm();
}
