/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.h - the control plane: packets between ndrxd and servers or xadmin
 *
 * SOCK_SEQPACKET: one struct is one packet. Every packet is checked
 * (ow_ctl_check(): length, magic, version, kind, strings terminated) before a
 * field is used. Both processes belong to one user; ndrxd compares
 * SO_PEERCRED. End of file means that the other process is gone.
 *
 * Server	HELLO READY (PING PONG | NUDGE | ADV | UNADV)* STOP, then the
 *		server closes; it sends LEAVING if it ends by itself
 * xadmin	CMD, then any number of EVENT, ROW, CLIENT and GROUP, then DONE
 *
 * With CMD "run" come two descriptors: where the program writes its output and
 * its messages.
 */
#ifndef OW_CTL_H
#define OW_CTL_H

#include <stddef.h>
#include <stdint.h>

#define OW_CTL_MAGIC   0x4c54574fu /* "OWTL" */
#define OW_CTL_VERSION 1u
#define OW_CTL_FDS     2 /* descriptors that come with CMD "run" */

/* X(name); the comment names the sender */
#define OW_CTL_KINDS(X)                                                  \
	X(HELLO)   /* server: its id, pid and program */                 \
	X(READY)   /* server: tpsvrinit() is done, services are offered */ \
	X(LEAVING) /* server: ends by itself (tpexit), do not respawn */ \
	X(PONG)    /* server: reply to PING */                           \
	X(PING)    /* ndrxd: send PONG */                                \
	X(STOP)    /* ndrxd: finish the request in hand, then end */     \
	X(NUDGE)   /* ndrxd: poll your queues */                         \
	X(ADV)     /* ndrxd: advertise service `name` again */           \
	X(UNADV)   /* ndrxd: unadvertise service `name` */               \
	X(CMD)     /* xadmin: a command */                               \
	X(EVENT)   /* ndrxd: progress of a command */                    \
	X(ROW)     /* ndrxd: one server process */                       \
	X(DONE)    /* ndrxd: the command's result */                     \
	X(CLIENT)  /* ndrxd: one client of <clients> */                  \
	X(GROUP)   /* ndrxd: one process group */

enum ow_ctl_kind {
	OW_CTL_NONE = 0,
#define X(name) OW_CTL_##name,
	OW_CTL_KINDS(X)
#undef X
	OW_CTL_KIND_END
};

/* State of a server process as ndrxd sees it; word and text as users see
 * them (ppm, start/stop output). X(name, ppm word, text) */
#define OW_PROC_STATES(X)                                                    \
	X(NOT_STARTED, "nstrd", "Not started")                               \
	X(DIED, "died", "Died")                                              \
	X(EXITED, "exit", "Shutdown succeeded")                              \
	X(NO_BINARY, "nobin", "No such file or directory")                   \
	X(NO_ACCESS, "acces", "Access denied")                               \
	X(LIMITS, "limit", "Limits exceeded")                                \
	X(ARGS, "eargs", "Cli args on env params too long")                  \
	X(ENVIRON, "eenv", "Environment setup failure")                      \
	X(BAD_FILE, "badfi", "Bad executable")                               \
	X(SYSTEM, "esys", "System failure")                                  \
	X(STARTING, "start", "Still starting")                               \
	X(RUNNING, "runok", "Started")                                       \
	X(STOPPING, "stop", "Shutdown in progress")                          \
	X(RESTARTING, "rsta", "Restarting")                                  \
	X(WAITING, "wait", "Waiting on group lock")

enum ow_proc_state {
#define X(name, word, text) OW_PROC_##name,
	OW_PROC_STATES(X)
#undef X
	OW_PROC_STATE_END
};

/* Verbs of CMD. X(name, word) */
#define OW_CTL_VERBS(X)                                                      \
	X(START, "start")                                                    \
	X(STOP, "stop")                                                      \
	X(RESTART, "restart") /* stop all that match, then start them */     \
	X(SRELOAD, "sreload") /* restart one instance after the other */     \
	X(RELOAD, "reload")   /* read the configuration again */             \
	X(TESTCFG, "testcfg") /* read the configuration, change nothing */   \
	X(LIST, "list")	      /* a ROW per server process (ppm, psrv) */     \
	X(STAT, "stat")	      /* a line about ndrxd */                       \
	X(PING, "dping")                                                     \
	X(SHUTDOWN, "shutdown") /* after stop: ndrxd itself ends */          \
	X(DOWN, "down")	 /* kill everything at once, then end */             \
	X(ADV, "readv")	 /* srvid, name */                                   \
	X(UNADV, "unadv") /* srvid, name */                                  \
	X(APPCONFIG, "appconfig") /* name, text = new value or "" to show */ \
	X(CAT, "cat") /* attach to the start or stop in progress */          \
	X(PC, "pc") /* a CLIENT per client */                                \
	X(BC, "bc") /* boot one client: name = tag, text = subsect */        \
	X(SC, "sc") /* stop one client */                                    \
	X(RC, "rc") /* restart one client */                                 \
	X(GROUPS, "psg") /* a GROUP per process group */                     \
	X(CABORT, "cabort") /* end the start or stop in progress */          \
	X(RUN, "run") /* for a guest: run program `name`, words in `text` */ \
	X(SUSPEND, "suspend") /* service `name`, of all servers */           \
	X(RESUME, "resume") /* service `name` */                             \
	X(CACHEINVAL, "cacheinval") /* of service `name`, "": of all */      \
	X(MMON, "mmon") /* maintenance mode: nothing starts by itself */     \
	X(MMOFF, "mmoff")

enum ow_ctl_verb {
	OW_VERB_NONE = 0,
#define X(name, word) OW_VERB_##name,
	OW_CTL_VERBS(X)
#undef X
	OW_VERB_END
};

enum ow_ctl_flag {
	OW_CTLF_COMPLETE = 1, /* stop: every server; ndrxd ends afterwards */
	OW_CTLF_FORCE = 2,    /* stop -f: also processes ndrxd did not start */
	OW_CTLF_KILL = 4,     /* stop -k: send signals at once */
	OW_CTLF_LP = 8,	      /* of a group: its lock provider too */
	OW_CTLF_CHANGE = 16,  /* run: the program may change something */
	OW_CTLF_DRAIN = 32,   /* stop: what waits in queues is served first */
};

struct ow_ctl_head {
	uint32_t magic;
	uint16_t version;
	uint16_t kind; /* enum ow_ctl_kind */
	uint32_t len;  /* of the whole packet */
	uint32_t seq;  /* of PING and CMD; repeated by PONG, EVENT, ... */
};

struct ow_ctl_hello {
	struct ow_ctl_head h;
	uint32_t srvid;
	int32_t pid;
	uint64_t start; /* process start time, ow_proc_start() */
	char bin[64];
	uint32_t ready; /* 1: a running server reconnects */
	uint32_t pad;
};

struct ow_ctl_name { /* ADV, UNADV */
	struct ow_ctl_head h;
	char name[32];
};

struct ow_ctl_cmd {
	struct ow_ctl_head h;
	uint32_t verb; /* enum ow_ctl_verb */
	uint32_t flags;
	uint32_t srvid; /* 0: any */
	uint32_t domain; /* ow_ctl_domain(); 0: of whoever listens */
	char name[64]; /* server (-s), service or setting name, "" any */
	/* START, STOP, RESTART, SRELOAD: group (-g); RUN: a word on each line.
	 * Behind its NUL, as far as there is room: ow_ctl_words(). */
	char text[256];
};

/* One step of start or stop, in the order shown to users. */
struct ow_ctl_event {
	struct ow_ctl_head h;
	uint32_t verb;	/* START: being started, or result; STOP: result;
			   STAT: a line of text */
	uint32_t state; /* enum ow_proc_state */
	uint32_t srvid;
	int32_t pid;
	uint32_t begun; /* 1: first half of a line (being started) */
	uint32_t pad;
	char bin[64];
	char text[1024]; /* command line or reason, or the line itself */
};

struct ow_ctl_row {
	struct ow_ctl_head h;
	uint32_t srvid;
	int32_t pid;
	int32_t svpid;	    /* pid of the server proper (= pid) */
	uint32_t state;	    /* enum ow_proc_state */
	uint32_t requested; /* enum ow_proc_state: RUNNING or EXITED */
	uint32_t autostart;
	uint32_t exec_seq; /* consecutive tries to start */
	uint32_t num_term; /* signals sent to end it */
	uint32_t autokill;
	uint32_t restarts;
	uint64_t ms_state; /* since the last change of state */
	uint64_t ms_start; /* since the last start */
	uint64_t ms_term;  /* since the last signal */
	uint64_t ms_ping;  /* since the last PONG */
	int32_t exit_status; /* wait status of the last exit */
	int32_t exec_errno;
	char bin[64];
	char binpath[256];
	char last_cmd[32];
	char reason[256]; /* of this state, in words */
	char procgrp[32]; /* its process group, "" none */
	char procgrp_lp[32]; /* group whose lock provider it is, "" none */
	uint32_t procgrp_no, procgrp_lp_no; /* 0: none */
};

struct ow_ctl_client {
	struct ow_ctl_head h;
	int32_t pid;
	uint32_t state;	    /* enum ow_proc_state */
	uint32_t requested; /* RUNNING or EXITED */
	uint32_t autostart;
	uint32_t restarts;
	uint32_t exec_seq;
	int32_t exit_status;
	int32_t exec_errno;
	uint64_t t_changed; /* wall clock ns of the last change; 0: none */
	char tag[64];
	char subsect[64];
	char procgrp[32];
	char reason[256];
};

enum ow_ctl_group_flag {
	OW_CTLG_NOORDER = 1,
	OW_CTLG_HOLD = 2, /* the domain is in maintenance mode */
};

struct ow_ctl_group {
	struct ow_ctl_head h;
	uint32_t grpno;
	uint32_t singleton;
	uint32_t flags; /* enum ow_ctl_group_flag */
	uint32_t held;	 /* the lock file is locked here */
	uint32_t locked; /* members may run: held, and the provider ready */
	uint32_t lp_srvid; /* lock provider, 0: none */
	int32_t lp_pid;
	uint32_t members, running, waiting;
	char name[32];
	char lp_bin[64];
	char path[256];
	char reason[200]; /* why not locked */
};

struct ow_ctl_done {
	struct ow_ctl_head h;
	uint32_t status; /* 0: ok; TPEPERM: refused; else failed, see text */
	uint32_t count;	 /* processes started, stopped, ... */
	char text[1024];
};

union ow_ctl_msg {
	struct ow_ctl_head h;
	struct ow_ctl_hello hello;
	struct ow_ctl_name name;
	struct ow_ctl_cmd cmd;
	struct ow_ctl_event event;
	struct ow_ctl_row row;
	struct ow_ctl_done done;
	struct ow_ctl_client client;
	struct ow_ctl_group group;
};

/* Zero a packet and fill its head for `kind`. */
void ow_ctl_init(union ow_ctl_msg *m, enum ow_ctl_kind kind, uint32_t seq);
/* Check a packet of `len` bytes: 0 or -EBADMSG. */
int ow_ctl_check(const union ow_ctl_msg *m, size_t len);
/* Send one packet: 0, -EAGAIN (socket full), -EPIPE, -errno. */
int ow_ctl_send(int fd, const union ow_ctl_msg *m);
/* The command line of who sends a CMD, for the history: ndrxd may read it when
 * that process has gone, and /proc knows it no more. It stands where releases
 * without it look at nothing. Set it when `text` is set; "": there is none. */
void ow_ctl_set_words(struct ow_ctl_cmd *c, const char *words);
const char *ow_ctl_words(const struct ow_ctl_cmd *c);
/* What stands for a domain's prefix in a CMD. Two domains may have one
 * NDRX_APPHOME, and so one control socket: the ndrxd of the other one listens. */
uint32_t ow_ctl_domain(const char *prefix);
/* Receive one checked packet: 0, -EAGAIN, -ENOTCONN (end of file),
 * -EBADMSG, -errno. */
int ow_ctl_recv(int fd, union ow_ctl_msg *m);

/* The same with descriptors, which stay the caller's. */
int ow_ctl_send_fds(int fd, const union ow_ctl_msg *m,
		    const int fds[OW_CTL_FDS]);
/* The same. The descriptors that came with it, close-on-exec, else -1; on
 * failure none. */
int ow_ctl_recv_fds(int fd, union ow_ctl_msg *m, int ret_fds[OW_CTL_FDS]);

const char *ow_ctl_kind_name(uint32_t kind);
const char *ow_proc_state_word(uint32_t state);
const char *ow_proc_state_text(uint32_t state);
const char *ow_ctl_verb_word(uint32_t verb);
enum ow_ctl_verb ow_ctl_verb_find(const char *word);

#endif
