/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_usignal.c - a program that puts its signals off, as C99 and as C++11
 */
#include <stdio.h>
#include <Usignal.h>

#define USER(f) ((int (*)())(void (*)(void))(f))

static int count, last;

#ifdef __cplusplus
extern "C" int handler();
int handler()
#else
static int handler(int sig)
#endif
{
#ifndef __cplusplus
	last = sig;
#endif
	count++;
	return 0;
}

static int wrong(const char *what)
{
	printf("%s: count %d, last %d\n", what, count, last);
	return 1;
}

int main(void)
{
	Usiginit();
	if (Usignal(SIGUSR1, handler) == USER(SIG_ERR))
		return wrong("set");
	raise(SIGUSR1);
	if (count != 1)
		return wrong("at once");
	UDEFERSIGS();
	UDEFERSIGS();
	raise(SIGUSR1);
	raise(SIGUSR1);
	URESUMESIGS();
	if (count != 1 || UGDEFERLEVEL() != 1)
		return wrong("put off");
	URESUMESIGS();
	if (count != 2)
		return wrong("resumed");
	USDEFERLEVEL(5);
	raise(SIGUSR1);
	if (count != 2)
		return wrong("level 5");
	UENSURESIGS();
	if (count != 3 || UGDEFERLEVEL() != 0)
		return wrong("ensured");
	if (Usignal(SIGUSR1, USER(SIG_IGN)) != USER(handler))
		return wrong("what it was");
	raise(SIGUSR1);
	return count == 3 ? 0 : wrong("ignored");
}
