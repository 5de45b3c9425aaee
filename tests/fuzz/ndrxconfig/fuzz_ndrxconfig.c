/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_ndrxconfig.c - any bytes as a configuration file
 *
 * What loads must also print, and what was printed must load to the same
 * text. No name is given, so no other file is read.
 */
#include "libndrx/config/config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *print(const struct ow_config *config, size_t *ret_len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	assert(f != NULL);
	assert(ow_config_print(f, config) == 0);
	fclose(f);
	return text;
}

static struct ow_config *load(const void *data, size_t size)
{
	struct ow_config_error err = { "" };
	struct ow_config *config = NULL;
	int r = ow_config_load_mem(NULL, data, size, &err, &config);

	assert((r == 0) == (config != NULL));
	assert((r == 0) == (err.text[0] == '\0'));
	return config;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ow_config *config = load(data, size);
	struct ow_config *again;
	char *first;
	char *second;
	size_t len;

	if (config == NULL)
		return 0;
	first = print(config, &len);
	again = load(first, len);
	assert(again != NULL);
	second = print(again, &len);
	assert(strcmp(first, second) == 0);
	free(first);
	free(second);
	ow_config_free(again);
	ow_config_free(config);
	return 0;
}
