/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - make the figures of the screens from samples
 *
 * Counters of the tables start at zero with each server process; the model
 * adds up their growth, so that the figures of a service survive its servers.
 * A figure is the growth within a window that the user chooses. The model
 * knows neither shared memory nor terminals.
 */
#ifndef OW_MODEL_H
#define OW_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libndrx/model/rows.h"

struct ow_model;
struct ow_sample;

struct ow_model *ow_model_new(void);
struct ow_model *ow_model_free(struct ow_model *m);
static inline void ow_model_freep(struct ow_model **m)
{
	*m = ow_model_free(*m);
}

/* Set the span of the windows; 0: back to the first look. */
void ow_model_set_span(struct ow_model *m, uint64_t span_ns);

/* Process a sample: 0 or -ENOMEM. */
int ow_model_take(struct ow_model *m, const struct ow_sample *s);

const struct ow_overview *ow_model_overview(const struct ow_model *m);

/*
 * The rows, valid until the next ow_model_take(). Their number. An offer is a
 * service of a server.
 */
size_t ow_model_services(const struct ow_model *m,
			 const struct ow_row *const **ret);
size_t ow_model_servers(const struct ow_model *m,
			const struct ow_row *const **ret);
size_t ow_model_offers(const struct ow_model *m,
		       const struct ow_row *const **ret);
size_t ow_model_clients(const struct ow_model *m,
			const struct ow_row *const **ret);
size_t ow_model_trans(const struct ow_model *m,
		      const struct ow_row *const **ret);
size_t ow_model_durable(const struct ow_model *m,
			const struct ow_row *const **ret);
size_t ow_model_links(const struct ow_model *m,
		      const struct ow_row *const **ret);
size_t ow_model_routes(const struct ow_model *m,
		       const struct ow_row *const **ret);
/* None, if the samples have none. */
size_t ow_model_calls(const struct ow_model *m,
		      const struct ow_row *const **ret);

#endif
