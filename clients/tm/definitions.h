/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definitions.h - the file with the queues of a queue space
 *
 * $TUXCONFIG.d/conf/SPACE.queues: a line for each queue, as tmqueue reads it.
 * tmloadcf keeps a file that is there. The error queue of the space stands in a
 * comment (DEFINITIONS_ERRORQ), and in the line of each queue that was made since.
 * Results: 0, or 1 after a message.
 */
#ifndef OW_TM_DEFINITIONS_H
#define OW_TM_DEFINITIONS_H

#define DEFINITIONS_NAME   15 /* of a space or queue */
#define DEFINITIONS_ERRORQ "# errorq="

struct definition {
	const char *name;
	const char *order; /* of priority, time, expr, fifo, lifo, a list by
			      commas; "": fifo */
	long retries;	   /* after the first try */
	long delay;	   /* seconds between them */
};

/* Make the file if it is not there. */
int definitions_make(const char *space);
/* The queue that gets what the others give up; "": none. */
int definitions_errorq(const char *space, const char *queue);
/* Give a queue the order and the tries. What else its line has stays: a service to
 * which its messages go, for example. */
int definitions_set(const char *space, const struct definition *d);

#endif
