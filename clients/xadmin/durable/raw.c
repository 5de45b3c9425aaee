/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw.c - a message as JSON, byte for byte
 *
 * For what tpexport() refuses: text that is not UTF-8, a view that is not known
 * here. {"raw":TYPE,"sub_len":N,"bytes":"BASE64"}: the payload as it travels
 * (wire/msg.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/durable/durable.h"
#include "libatmi/wire/msg.h"
#include "libubf/base/base64.h"

#define BEGIN "{\"raw\":"
#define HEAD  64 /* characters around the bytes */

char *ow_durable_raw_text(const struct ow_mq_answer *m, const char *payload)
{
	size_t size = ow_base64_size(m->len);
	char *text = malloc(size + HEAD), *at;

	if (text == NULL)
		return NULL;
	at = text + sprintf(text, BEGIN "%u,\"sub_len\":%u,\"bytes\":\"",
			    m->type, m->sub_len);
	ow_base64_encode(at, payload, m->len);
	strcpy(at + size, "\"}");
	return text;
}

bool ow_durable_is_raw(const char *text)
{
	return strncmp(text, BEGIN, strlen(BEGIN)) == 0;
}

int ow_durable_raw_read(const char *text, struct ow_mq_request *head,
			char **ret_bytes)
{
	unsigned int type = 0, sub_len = 0;
	const char *end;
	ssize_t n;
	char *to;
	int at = 0;

	if (sscanf(text, BEGIN "%3u,\"sub_len\":%3u,\"bytes\":\"%n", &type,
		   &sub_len, &at) != 2 ||
	    at == 0)
		return -EBADMSG;
	end = strchr(text + at, '"');
	if (end == NULL || strcmp(end, "\"}") != 0)
		return -EBADMSG;
	to = malloc((size_t)(end - text - at) + 1);
	if (to == NULL)
		return -ENOMEM;
	n = ow_base64_decode(to, text + at, (size_t)(end - text - at));
	if (n < 0 || type > UINT8_MAX || sub_len > UINT8_MAX || sub_len > n) {
		free(to);
		return -EBADMSG;
	}
	head->type = (uint8_t)type;
	head->sub_len = (uint8_t)sub_len;
	head->len = (uint64_t)n;
	*ret_bytes = to;
	return 0;
}
