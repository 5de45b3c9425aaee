/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remove_all.h - setup of a test: no subscription is left
 */
#ifndef OW_TEST_REMOVE_ALL_H
#define OW_TEST_REMOVE_ALL_H

#include "libatmi/subs/subs.h"
#include "tests/unit/libatmi/domain_fixture.h"

static inline int remove_all(void **state)
{
	uint32_t n;
	long id;

	while ((id = ow_subs_next(dom, 0)) >= 0)
		if (ow_subs_remove(dom, id, false, &n) != 0)
			return -1;
	return 0;
}

#endif
