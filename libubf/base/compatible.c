/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compatible.c - the word of NDRX_COMPAT
 */
#include "libubf/base/compatible.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "libubf/base/variable.h"

#define MOST UINT64_C(0xffff) /* variables; with more it is looked for each time */

/*
 * Most programs have no such variable, and calls ask for it: so it is remembered
 * that the environment, as it is, has none. A variable that is set anew is its last
 * one; one that is unset moves those behind it; after all were cleared another one
 * is the first. So it is as it was while array, number, first and last variable are
 * the same: nothing else is looked at.
 *
 *	none	    address of the array << 16 | number of variables
 *	first, end  the first one, the last one
 *
 * Threads may set them at the same time. Then they are of two environments, and do not
 * fit each other.
 */
static _Atomic uint64_t none;
static _Atomic(const char *) first, end;

static bool is_same(const char *variable, _Atomic(const char *) *seen)
{
	return variable == atomic_load_explicit(seen, memory_order_relaxed);
}

static bool is_as_it_was(void)
{
	uint64_t seen = atomic_load_explicit(&none, memory_order_acquire);
	uint64_t n = seen & MOST;

	return n > 0 && environ != NULL &&
	       (uint64_t)(uintptr_t)environ << 16 == (seen & ~MOST) &&
	       is_same(environ[0], &first) && environ[n] == NULL &&
	       is_same(environ[n - 1], &end);
}

static void remember(void)
{
	uint64_t n = 0;

	while (environ != NULL && environ[n] != NULL)
		n++;
	if (n == 0 || n > MOST)
		return;
	atomic_store_explicit(&first, environ[0], memory_order_relaxed);
	atomic_store_explicit(&end, environ[n - 1], memory_order_relaxed);
	atomic_store_explicit(&none, (uint64_t)(uintptr_t)environ << 16 | n,
			      memory_order_release);
}

static const char *value_of(void)
{
	const char *value;

	if (is_as_it_was())
		return NULL;
	value = ow_variable("NDRX_COMPAT");
	if (value == NULL)
		remember();
	return value;
}

static bool is(const char *word)
{
	const char *value = value_of();

	return value != NULL && strcmp(value, word) == 0;
}

bool ow_compat_is_known(void)
{
	const char *value = value_of();

	return value == NULL || *value == '\0' || ow_compat_tuxedo() ||
	       ow_compat_enduro();
}

bool ow_compat_tuxedo(void)
{
	return is("strict-tuxedo");
}

bool ow_compat_enduro(void)
{
	return is("strict-enduro");
}
