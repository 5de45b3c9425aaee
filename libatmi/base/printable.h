/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printable.h - texts of other processes, made harmless for a terminal
 */
#ifndef OW_PRINTABLE_H
#define OW_PRINTABLE_H

/* Control characters become '?'; bytes of UTF-8 stay. */
static inline void ow_printable(char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
			*text = '?';
}

#endif
