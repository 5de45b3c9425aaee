/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - POST batches to an OTLP/HTTP receiver, with libcurl
 *
 * OTEL_EXPORTER_OTLP_HEADERS ("name=value,..."), _CERTIFICATE and _TIMEOUT (ms)
 * are those of the specification. Redirections are not followed: what goes
 * where is said by whoever starts the program.
 */
#include "clients/ndrxotel/outbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OW_HAVE_CURL
#include <curl/curl.h>
#include <stdatomic.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"

#define ANSWER 4096

struct http {
	CURL *curl;
	struct curl_slist *headers;
	char url[512];
	char error[CURL_ERROR_SIZE];
	char answer[ANSWER];
	size_t len;
	_Atomic uint64_t until_ns; /* a request ends then; 0: at its time-out */
};

static size_t take(char *bytes, size_t size, size_t n, void *arg)
{
	struct http *h = arg;
	size_t len = size * n, room = sizeof(h->answer) - 1 - h->len;

	memcpy(h->answer + h->len, bytes, len < room ? len : room);
	h->len += len < room ? len : room;
	return len;
}

/* "rejectedSpans":"7" or 7, of a partial success; of metrics
 * "rejectedDataPoints". */
static uint64_t rejected(const struct http *h)
{
	const char *at = strstr(h->answer, "\"rejectedSpans\"");

	if (at == NULL)
		at = strstr(h->answer, "\"rejectedDataPoints\"");
	if (at == NULL)
		return 0;
	at += strcspn(at, "0123456789}");
	return strtoull(at, NULL, 10);
}

static int judge(struct http *h, CURLcode e, uint64_t *ret_rejected,
		 unsigned *ret_wait_s, char *why, size_t size)
{
	curl_off_t after = 0;
	long code = 0;

	if (e != CURLE_OK) {
		snprintf(why, size, "%.100s", h->error[0] != '\0'
						  ? h->error
						  : curl_easy_strerror(e));
		return OW_OTEL_AGAIN;
	}
	curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &code);
	if (code >= 200 && code < 300) {
		*ret_rejected = rejected(h);
		return 0;
	}
	snprintf(why, size, "HTTP %ld: %.100s", code, h->answer);
	if (code != 429 && code != 502 && code != 503 && code != 504)
		return OW_OTEL_REFUSED;
	curl_easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &after);
	*ret_wait_s = after > 0 && after < 300 ? (unsigned)after : 0;
	return OW_OTEL_AGAIN;
}

static int send_batch(void *arg, const char *text, size_t len,
		      uint64_t *ret_rejected, unsigned *ret_wait_s, char *why,
		      size_t size)
{
	struct http *h = arg;
	CURLcode e;

	memset(h->answer, 0, sizeof(h->answer));
	h->len = 0;
	h->error[0] = '\0';
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, text);
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE,
			 (curl_off_t)len);
	e = curl_easy_perform(h->curl);
	return judge(h, e, ret_rejected, ret_wait_s, why, size);
}

static void limit(void *arg, uint64_t until_ns)
{
	struct http *h = arg;

	atomic_store(&h->until_ns, until_ns);
}

/* Called once a second at least, by libcurl: not 0 ends the request. */
static int is_over(void *arg, curl_off_t down_all, curl_off_t down,
		   curl_off_t up_all, curl_off_t up)
{
	struct http *h = arg;
	uint64_t until_ns = atomic_load(&h->until_ns);

	return until_ns != 0 && ow_clock_mono_ns() >= until_ns;
}

static void close_http(void *arg)
{
	struct http *h = arg;

	curl_slist_free_all(h->headers);
	curl_easy_cleanup(h->curl);
	free(h);
}

/* name=value,name=value */
static void add_headers(struct http *h)
{
	char text[1024], line[1024], *save = NULL, *one, *value;

	snprintf(text, sizeof(text), "%s",
		 ow_env_str("OTEL_EXPORTER_OTLP_HEADERS", ""));
	h->headers = curl_slist_append(NULL, "Content-Type: application/json");
	for (one = strtok_r(text, ",", &save); one != NULL;
	     one = strtok_r(NULL, ",", &save)) {
		value = strchr(one, '=');
		if (value == NULL)
			continue;
		*value++ = '\0';
		snprintf(line, sizeof(line), "%s: %s", one, value);
		h->headers = curl_slist_append(h->headers, line);
	}
}

static void set_options(struct http *h)
{
	const char *ca = ow_env_str("OTEL_EXPORTER_OTLP_CERTIFICATE", "");
	long ms = 10000;

	if (ow_env_parse_long(ow_env_str("OTEL_EXPORTER_OTLP_TIMEOUT", "10000"),
			      &ms) < 0 || ms < 1)
		ms = 10000;
	add_headers(h);
	curl_easy_setopt(h->curl, CURLOPT_URL, h->url);
	curl_easy_setopt(h->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(h->curl, CURLOPT_NOPROXY, "127.0.0.1,localhost,::1");
	curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, h->headers);
	curl_easy_setopt(h->curl, CURLOPT_USERAGENT, "ndrxotel");
	curl_easy_setopt(h->curl, CURLOPT_TIMEOUT_MS, ms);
	curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->error);
	curl_easy_setopt(h->curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(h->curl, CURLOPT_XFERINFOFUNCTION, is_over);
	curl_easy_setopt(h->curl, CURLOPT_XFERINFODATA, h);
	if (*ca != '\0')
		curl_easy_setopt(h->curl, CURLOPT_CAINFO, ca);
}

int ow_otel_http_open(const char *url, struct ow_otel_way *ret, char *why,
		      size_t size)
{
	struct http *h = calloc(1, sizeof(*h));

	if (strlen(url) >= sizeof(h->url) ||
	    (strncmp(url, "http://", 7) != 0 &&
	     strncmp(url, "https://", 8) != 0)) {
		free(h);
		snprintf(why, size, "%.80s: give an address that begins with "
			 "http:// or https://", url);
		return -EINVAL;
	}
	if (h != NULL && curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
		h->curl = curl_easy_init();
	if (h == NULL || h->curl == NULL) {
		free(h);
		snprintf(why, size, "libcurl: no memory");
		return -ENOMEM;
	}
	strcpy(h->url, url);
	set_options(h);
	*ret = (struct ow_otel_way){ .send = send_batch,
				     .limit = limit,
				     .close = close_http,
				     .arg = h };
	return 0;
}

#else

int ow_otel_http_open(const char *url, struct ow_otel_way *ret, char *why,
		      size_t size)
{
	(void)url;
	(void)ret;
	snprintf(why, size, "this build has no libcurl (Debian: "
		 "libcurl4-openssl-dev): -f FILE writes spans to a file");
	return -ENOTSUP;
}

#endif
