/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cause.c - why a request failed, in words that go back to its caller
 */
#include "libatmi/wire/cause.h"

#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/masked.h"
#include "libubf/base/printable.h"

bool ow_cause_or_content(const struct ow_msg *m)
{
	return m->tperr == 0 || m->tperr == TPESVCFAIL ||
	       (m->flags & OW_MSG_CAUSE) != 0;
}

size_t ow_cause_write(const char *why, char ret[OW_CAUSE_MAX])
{
	char *text = why != NULL && why[0] != '\0' ? ow_masked(why) : NULL;
	size_t len = text != NULL ? strnlen(text, OW_CAUSE_MAX) : 0;

	if (len > 0)
		memcpy(ret, text, len);
	free(text);
	return len;
}

/* Into a log line, or onto a terminal: no control characters, and UTF-8. */
void ow_cause_read(const struct ow_msg *m, const void *payload,
		   char ret[OW_CAUSE_MAX + 1])
{
	size_t i, len = m->len < OW_CAUSE_MAX ? (size_t)m->len : OW_CAUSE_MAX;

	if ((m->flags & OW_MSG_CAUSE) == 0 || m->tperr == 0 ||
	    m->tperr == TPESVCFAIL || payload == NULL)
		len = 0;
	if (len > 0)
		memcpy(ret, payload, len);
	for (i = 0; i < len; i++)
		if (ret[i] == '\0')
			ret[i] = '?';
	ret[len] = '\0';
	ow_printable(ret);
}
