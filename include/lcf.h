/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lcf.h - commands to all processes of a domain
 *
 * A command is published in a slot; each process carries it out at its next
 * call.
 */
#ifndef LCF_H
#define LCF_H

#include <sys/types.h>

#define NDRX_LCF_CMD_MIN_CUST 1000 /* codes of applications */
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
	char procid[NDRX_LCF_STR_MAX + 1]; /* pid or program, by flags */
	char arg_a[NDRX_LCF_ARG_MAX];
	char arg_b[NDRX_LCF_ARG_MAX];
} ndrx_lcf_command_t;

/* The function by which this process carries out a command. */
typedef struct ndrx_lcf_reg_func {
	int version; /* 1 */
	int command;
	char cmd_str[NDRX_LCF_STR_MAX + 1];
	int (*pf_callback)(ndrx_lcf_command_t *cmd, long *p_flags);
} ndrx_lcf_reg_func_t;

/* A command as xadmin offers it. */
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

/* Register a function; register a command of xadmin; publish a command. The
 * structure is copied. 0, or -1 with tperrno. (ours) */
extern int ndrx_lcf_func_add(ndrx_lcf_reg_func_t *func);
extern int ndrx_lcf_xadmin_add(ndrx_lcf_reg_xadmin_t *cmd);
extern int ndrx_lcf_publish(int slot, ndrx_lcf_command_t *cmd);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
