/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - text on its way into a configuration file
 */
#ifndef OW_CONFIG_TEXT_H
#define OW_CONFIG_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Write `s` so that it is read as it stands, as the content of an element or
 * the value of an attribute. `literal`: a ${ is meant as it is, not as a
 * variable.
 */
void ow_config_text_put(FILE *out, const char *s, bool literal);

#endif
