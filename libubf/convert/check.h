/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - does a number field hold a value of another type?
 *
 * ow_ubf_convert() converts as C does: 70000 is 4464 in a short, "abc" 0, 1e300
 * infinite in a float. That is what CBadd() and its like are documented to do. The
 * functions that take all fields at once are for other languages, where a value
 * that has changed on its way is a fault: they ask here first.
 */
#ifndef OW_UBF_CHECK_H
#define OW_UBF_CHECK_H

/*
 * `data` of type `from` goes to a field or member of type `to`, both types of ubf.h.
 * `len` counts for a carray. 0; -1 with Berror BEINVAL, whose text has the value,
 * for: an integer, or the whole part of a real, beyond the range of the type; a
 * finite real that would become infinite; a text that is not one number of the
 * type's kind (blanks around it, and NULs behind it, are none of it); a text of
 * several bytes for a char. Pairs without a number, and those that do not convert,
 * are 0.
 */
int ow_ubf_check_fit(int from, const char *data, long len, int to);

#endif
