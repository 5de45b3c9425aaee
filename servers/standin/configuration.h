/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configuration.h - the service @CCONF: sections of the ini configuration
 *
 * Request, a UBF buffer: EX_CC_CMD g (get a section, EX_CC_LOOKUPSECTION) or l
 * (list those that begin with one of EX_CC_SECTIONMASK); EX_CC_RESOURCE (files;
 * none: NDRX_CCONFIG); EX_CC_MANDATORY (keys that have to be there);
 * EX_CC_FORMAT_KEY and EX_CC_FORMAT_FORMAT: t (y or n), sX..Y, iX..Y, nX..Y (text,
 * integer, number of X to Y characters). Reply: EX_CC_SECTION, EX_CC_KEY,
 * EX_CC_VALUE for each key, EX_NERROR_CODE 0; or the code and EX_NERROR_MSG, and
 * TPFAIL.
 */
#ifndef OW_STANDIN_CONFIGURATION_H
#define OW_STANDIN_CONFIGURATION_H

#include <xatmi.h>

void configuration_answer(TPSVCINFO *svc);

#endif
