/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crc32.c - CRC-32 of bytes, as IEEE 802.3 has it
 *
 * The work is zlib's. Its archive is linked, not its shared library: loading
 * one more library would make the start of every process a tenth longer.
 */
#include "libubf/base/crc32.h"

#include <zlib.h>

uint32_t ow_crc32(const void *data, size_t n)
{
	return (uint32_t)crc32_z(0, data, n);
}
