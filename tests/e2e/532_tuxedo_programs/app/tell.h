/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell.h - what a program that checks itself says: nothing, if all is well
 */
#ifndef TELL_H
#define TELL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "atmi.h"

static int wrong;

#define IS(fact)                                                             \
	do {                                                                 \
		if (!(fact)) {                                               \
			printf("%s:%d: %s: tperrno %d\n", __FILE__,          \
			       __LINE__, #fact, tperrno);                    \
			wrong = 1;                                           \
		}                                                            \
	} while (0)

#endif
