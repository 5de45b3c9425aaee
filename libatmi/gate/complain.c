/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complain.c - log what a guest did, now and then
 */
#include "libatmi/gate/complain.h"

#include <stdatomic.h>
#include <stdint.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"

void ow_guest_complain(const char *what)
{
	static _Atomic uint64_t said_ns;
	uint64_t last = atomic_load(&said_ns), now = ow_clock_mono_ns();

	if (now - last >= OW_NS_PER_SEC &&
	    atomic_compare_exchange_strong(&said_ns, &last, now))
		log_warn("%s (further ones within a second are not logged)",
			 what);
}
