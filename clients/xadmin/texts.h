/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texts.h - parts of help texts that several commands of table.c share
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

#endif
