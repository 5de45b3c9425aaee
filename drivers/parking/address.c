/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address.c - where the process of a branch takes orders for it
 */
#include "drivers/parking/address.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ADDRESS_BYTES 36 /* of an XID: all of ours. Longer ones differ in the \
			    hash */

socklen_t parking_address(const char *driver, const XID *x,
			  struct sockaddr_un *ret)
{
	uint64_t h = 14695981039346656037u;
	size_t room = sizeof(ret->sun_path) - 1;
	char *to = ret->sun_path + 1;
	long i;
	int n;

	for (i = 0; i < x->gtrid_length + x->bqual_length; i++)
		h = (h ^ (unsigned char)x->data[i]) * 1099511628211u;
	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	n = snprintf(to, room, "onewake-%s-%016llx-", driver,
		     (unsigned long long)h);
	for (i = 0; i < x->gtrid_length + x->bqual_length && i < ADDRESS_BYTES;
	     i++)
		n += snprintf(to + n, room - (size_t)n, "%02x",
			      (unsigned char)x->data[i]);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)n);
}

bool parking_is_own(int fd)
{
	struct ucred who;
	socklen_t n = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 &&
	       who.uid == geteuid();
}
