/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decided.h - a branch of a decision, as the log has it
 *
 * What other nodes have is more words of this size (superior.h, subordinate.h).
 */
#ifndef OW_TMLOG_DECIDED_H
#define OW_TMLOG_DECIDED_H

#include <stdint.h>

struct tmlog_branch {
	uint32_t rmid, branch;
};

#endif
