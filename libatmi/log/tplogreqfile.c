/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tplogreqfile.c - the log file of the request that this thread works on
 */
#include <ndebug.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/log/log.h"
#include "libatmi/log/own.h"

void tplogsetreqfile_direct(const char *filename)
{
	int r = -EINVAL;

	if (filename != NULL && filename[0] != '\0')
		r = ow_log_own_request_file(filename);
	if (r != 0)
		log_error("request log %s: %s",
			  filename != NULL ? filename : "", strerror(-r));
}

int tploggetreqfile(char *filename, int bufsize)
{
	const struct ow_log_own *own = ow_log_own_get(OW_LOG_REQUEST);

	if (own == NULL || !own->has_file)
		return 0;
	if (filename != NULL && bufsize > 0)
		snprintf(filename, (size_t)bufsize, "%s", own->file.path);
	return 1;
}

void tplogclosereqfile(void)
{
	ow_log_own_close(OW_LOG_REQUEST);
}

void tplogclosethread(void)
{
	ow_log_own_close(OW_LOG_THREAD);
}
