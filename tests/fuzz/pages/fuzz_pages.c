/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_pages.c - fuzz a UBF buffer with a paged directory
 *
 * Such a buffer has at least 60 KB, too much to be found by chance, so the
 * input is a list of changes to a valid one: a byte for the part of the buffer,
 * one for the kind of change, two for the place in that part, four for the
 * value. The seeds have one change for each part.
 */
#include "tests/fuzz/ubf/exercise.h"

#include "tests/fuzz/pages/paged.h"

#define CHANGES_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static UBFH *templates[2];
	uint32_t value, *places[CHANGES_MAX], n = 0, i;
	unsigned int seed = (unsigned int)size;
	uint32_t values[CHANGES_MAX];
	int full = size > 0 && data[0] & 1;
	UBFH *p, *template;
	uint16_t at;

	if (templates[full] == NULL)
		templates[full] = ubf_paged(full);
	template = templates[full];
	for (; size >= 8 && n < CHANGES_MAX; size -= 8, data += 8, n++) {
		memcpy(&at, data + 2, sizeof(at));
		memcpy(&value, data + 4, sizeof(value));
		places[n] = ubf_paged_word(template, data[0], at);
		values[n] = data[1] % 2 ? value : *places[n] + value;
		seed = seed * 31 + value + at;
	}
	p = malloc(template->used);
	assert(p != NULL);
	memcpy(p, template, template->used);
	for (i = 0; i < n; i++)
		memcpy((char *)p + ((char *)places[i] - (char *)template),
		       &values[i], sizeof(*values));
	(void)ubf_exercise(p, template->used, seed);
	free(p);
	return 0;
}
