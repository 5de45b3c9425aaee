/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - a list of equal elements that grows when it is full
 */
#include <limits.h>
#include <nstdutil.h>
#include <stdlib.h>
#include <string.h>

void ndrx_growlist_init(ndrx_growlist_t *list, int step, size_t size)
{
	*list = (ndrx_growlist_t){ .maxindexused = -1,
				   .step = step > 0 ? step : 1,
				   .size = size };
}

/* Make room for `index`: 0; -1: no memory. */
static int make_room(ndrx_growlist_t *list, int index)
{
	size_t room = (size_t)list->itemsalloced;
	void *mem;

	if (index < list->itemsalloced)
		return EXSUCCEED;
	while (room <= (size_t)index)
		room += (size_t)list->step;
	if (room > INT_MAX)
		return EXFAIL;
	mem = reallocarray(list->mem, room, list->size);
	if (mem == NULL)
		return EXFAIL;
	memset((char *)mem + (size_t)list->itemsalloced * list->size, 0,
	       (room - (size_t)list->itemsalloced) * list->size);
	list->mem = mem;
	list->itemsalloced = (int)room;
	return EXSUCCEED;
}

int ndrx_growlist_add(ndrx_growlist_t *list, void *item, int index)
{
	if (index < 0 || make_room(list, index) != EXSUCCEED) {
		NDRX_LOG(log_error, "list of %d elements of %zu bytes: no room "
			 "for number %d", list->itemsalloced, list->size,
			 index);
		return EXFAIL;
	}
	memcpy((char *)list->mem + (size_t)index * list->size, item,
	       list->size);
	if (index > list->maxindexused)
		list->maxindexused = index;
	return EXSUCCEED;
}

int ndrx_growlist_append(ndrx_growlist_t *list, void *item)
{
	return ndrx_growlist_add(list, item, list->maxindexused + 1);
}

void ndrx_growlist_free(ndrx_growlist_t *list)
{
	free(list->mem);
	list->mem = NULL;
	list->maxindexused = -1;
	list->itemsalloced = 0;
}
