/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_ubf.c - fuzz a UBF buffer as it comes from a peer
 *
 * A random input hardly ever passes the check, so corpora should start from
 * real buffers: `ubf_seeds FOLDER` writes some.
 */
#include "tests/fuzz/sample.h"
#include "tests/fuzz/ubf/exercise.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Load the view that is in the seeds. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_sample_load();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int seed = (unsigned int)size;
	void *copy = malloc(size + 1);
	size_t i;

	assert(copy != NULL);
	if (size > 0)
		memcpy(copy, data, size);
	for (i = 0; i < size; i++)
		seed = seed * 31 + data[i];
	(void)ubf_exercise(copy, size, seed);
	free(copy);
	return 0;
}
