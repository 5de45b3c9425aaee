/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lcf.h - commands that every process of a domain carries out
 *
 * A command is published into a slot; processes see it with their next call.
 */
#ifndef LCF_H
#define LCF_H

#include <sys/types.h>

#define NDRX_LCF_CMD_MIN_CUST 1000 /* own command codes */
#define NDRX_LCF_CMD_MAX_CUST 1999
#define NDRX_LCF_STR_MAX      30   /* characters of a command's name */
#define NDRX_LCF_ARG_MAX      4096 /* bytes of an argument, with NUL */
#define NDRX_LCF_FEEDBACK_MAX 64   /* bytes of a feedback, with NUL */

/* A published command. */
typedef struct ndrx_lcf_command {
	int version;	/* 1 */
	int command;	/* code */
	unsigned int cmdversion; /* counts publications of the slot */
	char cmd_str[NDRX_LCF_STR_MAX + 1];
	long flags;
	char procid[NDRX_LCF_STR_MAX + 1]; /* pid or program, as flags say */
	char arg_a[NDRX_LCF_ARG_MAX];
	char arg_b[NDRX_LCF_ARG_MAX];
} ndrx_lcf_command_t;

/* How this process carries out a command. */
typedef struct ndrx_lcf_reg_func {
	int version; /* 1 */
	int command;
	char cmd_str[NDRX_LCF_STR_MAX + 1];
	int (*pf_callback)(ndrx_lcf_command_t *cmd, long *p_flags);
} ndrx_lcf_reg_func_t;

/* How xadmin offers a command. */
typedef struct ndrx_lcf_reg_xadmin {
	int version; /* 1 */
	int command;
	char cmd_str[NDRX_LCF_STR_MAX + 1];
	char helpstr[NDRX_LCF_FEEDBACK_MAX];
	long dfltflags;
	int dfltslot;
} ndrx_lcf_reg_xadmin_t;

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* 0, or -1 with tperrno. The structure is copied. (ours) */
extern int ndrx_lcf_func_add(ndrx_lcf_reg_func_t *func);
extern int ndrx_lcf_xadmin_add(ndrx_lcf_reg_xadmin_t *cmd);
extern int ndrx_lcf_publish(int slot, ndrx_lcf_command_t *cmd);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
