/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texts.h - help texts that several commands of table.c share, and long ones
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

#define SCAN_HELP \
	"Reads sources in C and C++ and configurations, and lists the " \
	"lines whose names\nor settings differ, with what differs.\n" \
	"  -a  all lines, not the first 5 of each name"

#endif
