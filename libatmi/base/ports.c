/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ports.c - where a daemon listens, as an option says it
 */
#include "libatmi/base/ports.h"

#include <stdio.h>
#include <string.h>

#include "libatmi/base/env.h"

bool ow_port_parse(const char *text, char *address, size_t size,
		   uint16_t *ret_port)
{
	const char *colon = strrchr(text, ':');
	const char *number = colon != NULL ? colon + 1 : text;
	bool brackets = colon != NULL && colon - text > 2 && text[0] == '[' &&
			colon[-1] == ']';
	long port;

	if (colon == text || ow_env_parse_long(number, &port) < 0 || port < 1 ||
	    port > 65535)
		return false;
	if (colon != NULL)
		snprintf(address, size, "%.*s",
			 (int)(colon - text) - 2 * brackets, text + brackets);
	*ret_port = (uint16_t)port;
	return true;
}
