/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texts.h - help texts that several groups share, and long ones
 */
#ifndef OW_XADMIN_TEXTS_H
#define OW_XADMIN_TEXTS_H

#define SELECT                                                              \
	"  -y      do not ask\n"                                            \
	"  -s SRV  only servers of this program name\n"                     \
	"  -i ID   only the server with this id\n"                          \
	"  -g GRP  only members of this process group\n"                    \
	"-s, -i and -g may be given several times; ndrxd carries them out\n" \
	"one after the other."

#define LOCKS "\n  -L      with -g: also the lock provider of the group"

#define CLIENTS "-t TAG [-s SUBSECT] | -g GRP [-w MS]"
#define CLIENTS_HELP                                                        \
	"  -t TAG      by tag; % stands for any characters\n"               \
	"  -s SUBSECT  and sub-section (-)\n"                               \
	"  -g GRP      by process group\n"                                  \
	"  -w MS       pause between two programs\n"                        \
	"The command ends when the processes run, or have ended."

#define PROVISION_HELP                                                      \
	"Environment script, configuration, folders for programs, field\n"  \
	"tables, logs. FOLDER is . if not given. Asks for each value; an\n" \
	"empty answer takes the default. Existing files stay as they are.\n"\
	"  -d  do not ask, take defaults\n"                                 \
	"  -v  a value: name (of the domain), prefix, node, timeout,\n"     \
	"      servers\n"                                                   \
	"  --cluster  the configuration of a nats-server instead, and what\n"\
	"      each node needs to join; values: name, nodes (1-3,7),\n"     \
	"      listen, urls, ca, certificate, key. Again with more nodes:\n"\
	"      those that are there keep their passwords."

#define CALLS_HELP \
	"STATE: waits (its place in the queue), served or continued (by\n" \
	"whom), elsewhere (its caller waits, and no request is seen here),\n" \
	"unseen (posix: kernel queues cannot be looked into; of callers that\n" \
	"wait for long it is known what they wait for). AGE and LEFT, until\n" \
	"its deadline, in seconds.\n" \
	"  -s       only this service\n" \
	"  -b       the fields of each UBF buffer; those that <mask> names: ***\n" \
	"  --stuck  why each is not finished: whom it waits for, and so on;\n" \
	"           cycles are named\n" \
	"EXPRESSION: as of Bboolco(3), over fields of the buffer and age left\n" \
	"served (seconds) size priority position pid node server oneway\n" \
	"conversation transaction (numbers) service program user state\n" \
	"(texts). Buffers are read where they lie, nobody is asked."

#define CALL_HELP \
	"The request is read from the standard input: {\"FIELD\":value,...};\n" \
	"nothing: no data. The answer is one object: work (done, refused by the\n" \
	"service, not done, unknown), error, why, urcode, us (microseconds),\n" \
	"reply (as tpexport() writes it).\n" \
	"  -b TYPE     of the request: UBF, STRING, JSON, CARRAY (base64),\n" \
	"              VIEW:NAME\n" \
	"  -t SECONDS  time-out of the call\n" \
	"  -u NAME     as somebody who has logged in under this name: lists of\n" \
	"              services hold for him; \"\": for who has not\n" \
	"  -m          fields that <mask> names: ***"

#define PUBFDB_HELP \
	"NDRX_UBFDB names its folder. Programs change it with Bflddbadd() and\n" \
	"Bflddbdel().\n" \
	"  -t  the fields of the tables that FLDTBLDIR and FIELDTBLS name"

#define TESTCFG_HELP \
	"Without FILE, a running ndrxd checks the file it was started with and\n" \
	"also says what a reload would do; if none runs, the file named by\n" \
	"NDRX_CONFIG is checked. It also finds missing programs, environment\n" \
	"files and folders of logs, and unknown options in <sysopt>. A message\n" \
	"about an error begins with FILE:LINE: <element>."

#define LCF_HELP \
	"  logchg     apply the debug string -A: keys ndrx ubf tp file " \
	"format mkdir ...\n  logrotate  open the log files again " \
	"by name\n  disable    withdraw all orders\n  -p PID     " \
	"only this process\n  -b BIN     only processes of this " \
	"program\n  -a         all (so without -p and -b)\n" \
	"Processes follow an order within about a second; so do " \
	"processes that start\nlater, until the orders are " \
	"withdrawn or the domain is stopped. Without WORD:\nlist " \
	"the orders. A process notices a renamed log file " \
	"(logrotate) without an\norder.\n" \
	"  WORD       a command of a plugin (NDRX_PLUGINS): -A and " \
	"-B are its arguments, -s\n             its slot; -r: PID " \
	"or BIN is a regular expression; -n: also for\n" \
	"             processes that start later; -e: the same " \
	"for a minute\n  -1 -2 -3   list the commands of plugins: " \
	"counts, arguments, feedback"

#define PPM_HELP \
	"STATE nstrd not started, died, exit stopped, nobin acces " \
	"limit eargs esys eenv\nbadfi cannot be started, start " \
	"starting, runok running, stop stopping, rsta\nrestarting, " \
	"wait waiting. REQST is the requested state. AS started with " \
	"the\ndomain, EXSQ tries to start in a row, NTRM signals " \
	"sent, K killed when it does\nnot stop. RSP, LSIG, STCH: " \
	"seconds since the last start, signal, change of\nstate.\n" \
	"  -2  program files\n  -3  process groups"

/* What -k and others do. */
#define STARTS "\n  -k      exit code 0 although servers " \
	"failed (also with NDRX_STARTOK)\nndrxd is started first when none runs; it adopts " \
	"the servers that outlived a\ndead ndrxd."
#define STOPS "\n  -k      signal the server at once, do not ask it " \
	"to stop\n  -f      also servers that ndrxd did not start\n" \
	"  --drain serve what waits first; no new call comes\n" \
	"Each server finishes the request it is serving first."

#define IMPORT_HELP \
	"Writes FOLDER/conf/ndrxconfig.xml, FOLDER/setenv and a " \
	"report of what was taken\nover, what needs a look, and " \
	"what has no counterpart; also prints the report.\n" \
	"  -o  folder, . if not given\n" \
	"  -f  overwrite existing files\n" \
	"  -n  print configuration and report, write nothing\n" \
	"  --machine  this machine of several, as a node of a cluster"

#define CACHESHOW_HELP \
	"HITS: calls that got a kept reply; MISSES: calls that were " \
	"served instead. KEPT:\nreplies; UNFIT: requests without a " \
	"key, replies that were not kept (too large,\nanother " \
	"process wrote). DROPS: by the event DROP AT, or by " \
	"cacheinval. TTL off:\nnot cached any more. Since the " \
	"domain was started."

#define LOGS_HELP \
	"TRACE: 32 hexadecimal digits, as in logs, `calls` and traceparent; or 16, of one\n" \
	"request. Read are the logs of $NDRX_APPHOME/log, NDRX_DMNLOG and NDRX_ULOG, as\n" \
	"text or JSON, and those that running processes have open: the last 64 MiB of\n" \
	"each. Needs no domain.\n" \
	"  -n  so many lines, the newest (1000)"

#define SPANS_HELP \
	"RINGS: processes that note spans. LEFT OUT: of traces that were not chosen.\n" \
	"WAITING: until their trace is chosen, or the receiver takes them. DROPPED:\n" \
	"by processes whose ring was full, by ndrxotel, refused by the receiver;\n" \
	"--json has each. Metrics are counted in data points; what was dropped of them costs\n" \
	"resolution, the next ones have the sums. No row: ndrxotel does not run."

#define SCAN_HELP \
	"Reads sources in C and C++ and configurations, and lists the " \
	"lines whose names\nor settings differ, with what differs.\n" \
	"  -a  all lines, not the first 5 of each name"

#define CONFIG_HELP \
	"Environment variables, <appconfig>, groups, every server " \
	"entry with the values of <defaults>\nand built-in " \
	"defaults, clients. ORIGIN is FILE:LINE, \"environment\" or " \
	"\"default\";\n\"environment NAME\" after FILE:LINE: " \
	"${NAME} is part of the value. Where ndrxd runs,\nVALUE is " \
	"what it uses, and ORIGIN says what the file would change. " \
	"Without FILE,\nthe file named by NDRX_CONFIG.\n" \
	"  -g  only values that are set, no defaults\n" \
	"  -s  only servers of this program name\n" \
	"  -i  only the server with this id\n" \
	"  -x  as ndrxconfig.xml, defaults written out\n" \
	"  --cluster  what TCP links of tpbridge become"

#define WHEN \
	"From the black box, which a server blackboxsv writes: processes that came and\n" \
	"went, queues that grew, times and errors that rose, clients, what ndrxd did.\n" \
	"A time: 03:12, 03:12:30 (the last ones), \"2026-11-27 03:12\", 10m (ago).\n" \
	"Without TO, ten minutes from FROM; without both, the last ten.\n" \
	"  -r  the black box in a report of another machine"

#define REPORT \
	"For a colleague: `tar xzf FILE`, `ndrxtop --report FILE`, `xadmin when -r\n" \
	"FILE`. Black box, the last MiB of each log, configuration, listings, with\n" \
	"secrets starred. FILE must not exist (onewake-PREFIX-TIME.tgz)."

#define PASSWD \
	"Asks for the password, or reads it as the first line of the standard input.\n" \
	"Counts from the next login on.\n" \
	"  -f  the file; without it, that of <security passwords=\"PATH\">\n" \
	"  -w  users of ndrxweb ($NDRX_APPHOME/conf/web.users)\n" \
	"  -r  the role of a user of ndrxweb: look, operate, admin\n" \
	"  -d  remove the entry\n" \
	"  -l  list the names"

#define HTTP_HELP \
	"CALLS/S, P50, P99: of the last 10 to 20 s. OPEN: requests " \
	"in hand. 4XX and 5XX are\nwithout what was SHED (429, 503). " \
	"NODONE, UNKN: failed requests whose work was not\ndone, or " \
	"of which nobody knows. AGE is that of the figures. STATE: " \
	"up; old, the gate\nhas not written for 5 s; dead, it did not " \
	"stop in order.\n" \
	"import: of NAME.yaml or .json, an OpenAPI description, the files " \
	"NAME.http.xml (routes),\nNAME.fd (fields, from NUMBER on, 10001) " \
	"and NAME.v (views) in this folder. What is\nthere already stays."

#define SCHEMA_HELP \
	"Of some calls of gates for HTTP with <http schema=\"Y\">, ten a second of a\n" \
	"service at most: names of fields, their types (OF), in how many of the SAMPLES they\n" \
	"were SEEN, LEAST and MOST occurrences. Never values: of JSON, strings and bytes the\n" \
	"TYPE of the buffer alone."

#define RELEASES_HELP \
	"BUILD: the first digits of the id that the linker gave the program. OF: when that\n" \
	"file was made; SINCE: when the process started. FILE: current, it runs what lies\n" \
	"under its name; replaced, another file lies there (sreload starts it); removed.\n" \
	"REQUESTS: those that the process has taken.\n" \
	"  -s  only this program"

#define TIMES_HELP \
	"One row for each service and node, the slowest of a service first. KIND here: time\n" \
	"in the service, and WAIT99 in the queue before; remote: from here to the node and\n" \
	"back, with its queue. FAILED: with an error, or without an answer in time.\n" \
	"  -s  only this service\n" \
	"  -r  look for a second; otherwise since the servers started"

#define PNET_HELP \
	"SRVID is the bridge here (ndrxbridge), BRIDGE the one of NODE. STATE: up; down, it\n" \
	"is silent; left, it has ended; cut, its node took too much (`doctor`). SVCS: offered.\n" \
	"ERR: calls that ended with an error; LOST: whose outcome nobody knows, or that were\n" \
	"not delivered. OPEN: calls under way; WAIT: held back, because it is slow."

#define HOSTS_HELP \
	"BREAKER: closed, calls go; open, the host has failed and is left alone; half-open,\n" \
	"one call tries; none. FAILED: no answer, or 502, 503, 504; RETRIED: repetitions;\n" \
	"REFUSED: calls that were not sent because the breaker was open.\n"

#define EVENTS_HELP \
	"The history, $NDRX_APPHOME/log/history.log, outlasts the domain: starts, ends\n" \
	"and deaths of processes, reloads, and each order with user, terminal and command.\n" \
	"  -n  the last COUNT events (100)\n" \
	"  -i  only events of the server with this id"

#define CONTEXTS_HELP \
	"KIND is client, server (that calls), or dead: not yet removed. OPEN: calls without\n" \
	"a reply yet. LATE: replies that came after the time-out. ONEWAY: of the calls. `pc` lists the\n" \
	"programs of <clients>.\n" \
	"  -r  look for a second: CALLS/S, busiest first"

#endif
