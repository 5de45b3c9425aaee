/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crc32.h - CRC-32 of bytes, as IEEE 802.3 has it
 *
 * Exported for libatmi; not part of the public interface.
 */
#ifndef OW_CRC32_H
#define OW_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t ow_crc32(const void *data, size_t n);

#endif
