/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uunix.h - which system call failed, for programs of Tuxedo that log it
 *
 * Onewake does not number system calls: tpstrerror(TPEOS) and
 * Bstrerror(BEUNIX) say what failed and why. So Uunixerr is always 0, and
 * Uunixmsg[0] refers to them. (names of Tuxedo)
 */
#ifndef UUNIX_H
#define UUNIX_H

#define Uunixerr 0
#define Uunixmsg (ow_uunixmsg())

/* ---- For the macro above only ---- */

static __inline__ const char *const *ow_uunixmsg(void)
{
	static const char *const texts[] = {
		"see tpstrerror() or Bstrerror()", 0
	};

	return texts;
}

#endif
