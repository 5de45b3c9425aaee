/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subst.h - ${NAME} in a text replaced
 *
 * Used when the file is read (values of ndrxd's environment), and by
 * ndrxd/launch when a process is started, for the variables of the process.
 */
#ifndef OW_CONFIG_SUBST_H
#define OW_CONFIG_SUBST_H

#include <stdbool.h>

#include "libubf/base/cconfig.h"

enum ow_subst_result {
	OW_SUBST_UNCLOSED = 1, /* "${" without "}", or without a name */
	OW_SUBST_FUNCTION,     /* ${function=...}, and not ${dec=...} */
	OW_SUBST_LONG,	       /* the result exceeds 64 KiB */
	OW_SUBST_ENCRYPTED,    /* ${dec=...} that cannot be decrypted */
};

struct ow_encrypted_key;

struct ow_subst {
	/* The value of `name`, valid until the next call; NULL: keep it. */
	const char *(*get)(void *arg, const char *name);
	void *arg;
	/* For a later round: copy "\${" as it is, and ${dec=...} too, if it can
	 * be decrypted: the plain value is in no memory of ndrxd. */
	bool keep_escapes;
	struct ow_encrypted_key *key; /* of encrypted values; NULL: of each its own */
	char *why; /* OW_CCONFIG_WHY bytes: the reason of OW_SUBST_ENCRYPTED */
};

/* `\${` gives a plain `${`. On 0 the caller frees *ret_text. -ENOMEM. */
int ow_subst(const struct ow_subst *subst, const char *text, char **ret_text);

/* What is wrong with a text, a positive result but OW_SUBST_ENCRYPTED: "has ...". */
const char *ow_subst_strresult(int result);

/*
 * NDRX_SVSRVID, NDRX_SVPROCNAME, NDRX_SVCLOPT and others that are set for each
 * process. In command line texts they stay as they are until its start.
 */
bool ow_subst_is_process_variable(const char *name);

#endif
