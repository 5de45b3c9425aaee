/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ud: call services with requests given as text
 *
 * Reads requests from the standard input, calls the service that each request
 * names, prints request and reply. Exit status 0: success; 1: a call failed;
 * 2: a request could not be read, or wrong usage.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <atmi.h>

#include "clients/ud/request.h"
#include "libubf/base/about.h"

struct options {
	int tout;	/* seconds, 0: as configured */
	int delay;	/* seconds between requests */
	int errors;	/* end after so many failures; 0: never */
	int quiet;	/* do not print replies */
	int replies_only; /* do not print requests */
	int blank; /* what was printed last ends with an empty line */
};

static void usage(FILE *out)
{
	fputs("usage: ud [-t seconds] [-d seconds] [-e count] [-n] [-p] "
	      "< requests\n"
	      "Call services with UBF buffers described as text: lines of\n"
	      "FIELD<tab>value, SRVCNM<tab>name for the service; blank lines "
	      "between\nrequests. Prints requests and replies.\n"
	      "  -t seconds  time-out of a call; also -b\n"
	      "  -d seconds  pause between requests; also -s\n"
	      "  -e count    end after so many failures\n"
	      "  -n          do not print replies\n"
	      "  -p          do not print requests\n"
	      "  -r, -u, -U, -C, -S are taken without effect\n"
	      "Exit status: 0, 1 if a call failed, 2 if a request is wrong.\n",
	      out);
}

/* A number of seconds, or -1. */
static int seconds(const char *s)
{
	char *end;
	long n = strtol(s, &end, 10);

	return *s == '\0' || *end != '\0' || n < 0 || n > 1000000 ? -1 : (int)n;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	int c;

	while ((c = getopt(argc, argv, "t:b:d:s:e:nprhu:U:C:S:")) != -1) {
		if (c == 't' || c == 'b')
			o->tout = seconds(optarg);
		else if (c == 'd' || c == 's')
			o->delay = seconds(optarg);
		else if (c == 'e')
			o->errors = seconds(optarg);
		else if (c == 'n')
			o->quiet = 1;
		else if (c == 'p')
			o->replies_only = 1;
		else if (c == 'h' || c == '?')
			usage(c == 'h' ? stdout : stderr);
		if (c == 'h')
			exit(0);
		if (c == '?' || o->tout < 0 || o->delay < 0 || o->errors < 0)
			return -1;
	}
	return optind == argc ? 0 : -1;
}

static void print_head(struct options *o, const char *head)
{
	printf("%s%s pkt(1) is :\n", o->blank ? "" : "\n", head);
	o->blank = 0;
}

/* Print a buffer of any type; most replies are UBF buffers, whose text ends with
 * an empty line in strict-tuxedo, as tptypes() says FML32 there. */
static void print_data(char *data, long len, struct options *o)
{
	char type[XATMI_TYPE_LEN + 1] = "";
	long i;

	if (data == NULL || tptypes(data, type, NULL) < 0)
		return;
	if (strncmp(type, "UBF", 3) == 0 || strncmp(type, "FML", 3) == 0) {
		if (Bprint((UBFH *)(void *)data) < 0)
			fprintf(stderr, "ud: %s\n", Bstrerror(Berror));
		else
			o->blank = *type == 'F';
	} else if (strcmp(type, "STRING") == 0 || strcmp(type, "JSON") == 0) {
		printf("%s\n", data);
	} else if (strcmp(type, "CARRAY") == 0 || strcmp(type, "XML") == 0 ||
		   strcmp(type, "MBSTRING") == 0) {
		for (i = 0; i < len; i++)
			printf(isprint((unsigned char)data[i]) &&
				       data[i] != '\\' ? "%c" : "\\%02x",
			       (unsigned char)data[i]);
		putchar('\n');
	} else {
		printf("(a buffer of type %s, %ld bytes)\n", type, len);
	}
}

/* 0, or 1 if the call failed. */
static int call(struct request *r, struct options *o)
{
	char *reply = tpalloc((char *)"UBF", NULL, 1024);
	long len = 0;
	int err = 0;

	if (!o->replies_only) {
		print_head(o, "SENT");
		print_data((char *)r->ub, 0, o);
	}
	fflush(stdout);
	if (reply == NULL || tpcall(r->svc, (char *)r->ub, 0, &reply, &len,
				    0) == -1)
		err = tperrno;
	if (err != 0)
		fprintf(stderr, "ud: %s: %s\n", r->svc, tpstrerror(err));
	if (!o->quiet && (err == 0 || err == TPESVCFAIL)) {
		print_head(o, "RTN");
		print_data(reply, len, o);
	}
	fflush(stdout);
	tpfree(reply);
	return err != 0;
}

int main(int argc, char **argv)
{
	struct request r = { 0 };
	struct options o = { 0 };
	int res, status = 0, count = 0, failed = 0;

	if (ow_about_printed(argc, argv, "ud", usage))
		return 0;
	if (parse_options(argc, argv, &o) < 0) {
		usage(stderr);
		return 2;
	}
	if (o.tout > 0)
		tptoutset(o.tout);
	while ((o.errors == 0 || failed < o.errors) &&
	       (res = request_read(&r, stdin)) != 0) {
		if (res < 0) {
			status = 2;
			failed++;
			continue;
		}
		if (count++ > 0 && o.delay > 0)
			sleep((unsigned int)o.delay);
		if (call(&r, &o) == 0)
			continue;
		failed++;
		if (status == 0)
			status = 1;
	}
	request_free(&r);
	tpterm();
	return status;
}
