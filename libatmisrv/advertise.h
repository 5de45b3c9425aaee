/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advertise.h - the services that this server offers
 */
#ifndef OW_ADVERTISE_H
#define OW_ADVERTISE_H

#include <stdint.h>

#include "libatmisrv/server.h"

/* Offer service `svc`; published later. 0, or -1 with tperrno. */
int ow_offer_add(struct ow_server *s, const char *svc, const char *func,
		 void (*p_func)(TPSVCINFO *));
/* Is it served by this function? */
bool ow_offer_is(const struct ow_offer *o, struct ow_serves f);
/* Offers with any kind of function; with that of another offer. */
int ow_offer_add_as(struct ow_server *s, const char *svc, const char *func,
		    struct ow_serves f);
int ow_offer_add_like(struct ow_server *s, const char *svc,
		      const struct ow_offer *o);
struct ow_offer *ow_offer_find(struct ow_server *s, const char *svc);
/* Offer what `o` is also in the routing group of the server, if it has one: 0, or
 * -1 with tperrno. */
int ow_offer_group(struct ow_server *s, const struct ow_offer *o);
/* Publish all offers (one row) that are wanted and not yet published: 0, or -1
 * with tperrno. */
int ow_offer_publish_all(struct ow_server *s);
int ow_offer_publish(struct ow_server *s, uint32_t row);
/* The counterpart; the offer stays. 0, or -1 with tperrno: the service is
 * offered as before. */
int ow_offer_withdraw(struct ow_server *s, uint32_t row);
/* The same of a server that leaves: if ndrxd means to start it again, requests
 * wait for that. */
int ow_offer_leave(struct ow_server *s, uint32_t row);
/* Offers that are paused are not waited for any more; and one of them is again: 0,
 * -errno, it is paused yet. Another server of the service takes what comes
 * meanwhile, or it waits. */
void ow_offers_pause(struct ow_server *s);
int ow_offer_resume(struct ow_server *s, uint32_t row);
/* End the waits for what this server has not offered again. */
void ow_offer_end_waits(struct ow_server *s);

#endif
