/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - strings and numbers of JSON, words of a form
 */
#ifndef OW_WEB_TEXT_H
#define OW_WEB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A string with its quotes; what is not UTF-8 is replaced. */
void ow_web_string(FILE *out, const char *text);
/* A number; null if it is none. */
void ow_web_number(FILE *out, double n);
/* The value of `name` in a form (application/x-www-form-urlencoded). False: it
 * is not there, or too long. */
bool ow_web_form(const char *form, const char *name, char *buf, size_t size);

#endif
