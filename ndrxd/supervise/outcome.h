/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome.h - what the operator reads at the end of an operation
 */
#ifndef OW_OUTCOME_H
#define OW_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/wire/ctl.h"

struct ndrxd;

struct ow_outcome {
	enum ow_ctl_verb verb;
	uint32_t failed, done; /* servers */
	const char *first_failure;
	bool broken;	    /* broken off after the first failure: */
	uint32_t kept;	    /* servers that run as before */
	uint32_t unstarted; /* new servers whose turn had not come */
};

/* What failed, and where the other servers are. */
void ow_outcome_tell(const struct ow_outcome *o, char *text, size_t size);
/* A start that had nothing to start: why, and what to do. */
void ow_outcome_tell_nothing(const struct ndrxd *d, char *text, size_t size);

#endif
