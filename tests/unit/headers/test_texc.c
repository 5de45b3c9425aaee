/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_texc.c - exceptions that are raised and caught, as C99 and as C++11
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <texc.h>

static EXCEPTION full, empty;
static char way[64];

static void note(const char *c)
{
	strcat(way, c);
}

/* What was gone through; 1: it is another way than it should be. */
static int wrong(const char *want)
{
	int other = strcmp(way, want) != 0;

	if (other)
		printf("went %s, not %s\n", way, want);
	way[0] = '\0';
	return other;
}

static void deep(int how)
{
	if (how == 1)
		RAISE(full);
	if (how == 2)
		RAISE(empty);
	note("d");
}

static void cleans(int how)
{
	TRY
		note("t");
		deep(how);
	FINALLY
		note("f");
	ENDTRY
	note("e");
}

static void catches(int how)
{
	TRY
		cleans(how);
		note("n");
	CATCH(empty)
		note("c");
	CATCH(full)
		note("F");
		TRY
			RAISE(empty);
		CATCH_ALL
			note(exc_matches(THIS_CATCH, &empty) ? "m" : "-");
		ENDTRY
		note(exc_matches(THIS_CATCH, &full) ? "M" : "-");
	ENDTRY
	note(".");
}

static void raises_again(void)
{
	TRY
		TRY
			deep(2);
		CATCH(full)
			note("x");
		CATCH_ALL
			note("a");
			RERAISE;
		ENDTRY
		note("y");
	CATCH(empty)
		note("c");
	ENDTRY
}

static int of_a_status(void)
{
	EXCEPTION seven, also;
	volatile long got = 0;
	long status = 0;

	exc_set_status(&seven, 7);
	exc_set_status(&also, 7);
	TRY
		RAISE(seven);
	CATCH(also)
		if (exc_get_status(THIS_CATCH, &status) == 0)
			got = status;
		exc_report(THIS_CATCH);
	ENDTRY
	return got != 7 || exc_get_status(&full, &status) != -1 ||
	       exc_matches(&seven, &full);
}

/* The process ends by SIGABRT. */
static int of_nobody(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		RAISE(full);
	}
	waitpid(pid, &status, 0);
	return !WIFSIGNALED(status);
}

int main(void)
{
	EXCEPTION_INIT(full);
	EXCEPTION_INIT(empty);
	catches(0);
	if (wrong("tdfen."))
		return 1;
	catches(1);
	if (wrong("tfFmM."))
		return 1;
	catches(2);
	if (wrong("tfc."))
		return 1;
	raises_again();
	if (wrong("ac"))
		return 1;
	return of_a_status() || of_nobody();
}
