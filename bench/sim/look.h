/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look.h - how long a process looks for what it waits for before it sleeps
 *
 * The rule that doc/design/waking.md proposes. No transport looks yet; here it
 * is tried on computed machines. As with the kernel's halt polling each
 * process learns from its own waits: what comes a little later than the limit
 * doubles the limit, what comes much later halves it, down to nothing. Who
 * finds that others want its CPU pauses, as with costly yields.
 */
#ifndef OW_SIM_LOOK_H
#define OW_SIM_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#define LOOK_MIN_NS   UINT64_C(5000) /* the first limit */
#define LOOK_ALONE_NS UINT64_C(2000) /* a yield that let others run is longer */
#define LOOK_PAUSE    64u /* waits without a look; then twice that */
#define LOOK_PAUSE_MAX 65536u

/* A look begins with a yield, and yields again after so many looks at the
 * word: who is ready to run on this CPU comes first. */
#define LOOK_STEP_NS 200
#define LOOK_STEPS   10u
#define LOOK_GAP_NS  20000 /* between two steps: the CPU was lost */

/* What a process has learned. All zero at first. */
struct sim_look {
	uint64_t limit_ns;
	uint32_t skip, pause; /* waits still to come without a look */
};

/* Does this wait begin with a look? */
static inline bool sim_look_begin(struct sim_look *l)
{
	if (l->limit_ns == 0)
		return false;
	if (l->skip > 0) {
		l->skip--;
		return false;
	}
	return true;
}

/* Others want the CPU: a yield let them run, or a look lost the CPU. */
static inline void sim_look_wanted(struct sim_look *l)
{
	l->pause = l->pause == 0		    ? LOOK_PAUSE
		   : l->pause < LOOK_PAUSE_MAX / 2 ? 2 * l->pause
						    : LOOK_PAUSE_MAX;
	l->skip = l->pause;
}

/* The yield took so long: was this process alone on its CPU? */
static inline bool sim_look_alone(struct sim_look *l, uint64_t took_ns)
{
	if (took_ns > LOOK_ALONE_NS) {
		sim_look_wanted(l);
		return false;
	}
	l->pause /= 2;
	return true;
}

/* What it waited for came after `took_ns`, at most max_ns of them in a look. */
static inline void sim_look_end(struct sim_look *l, uint64_t took_ns,
				uint64_t max_ns)
{
	if (took_ns <= l->limit_ns)
		return;
	if (took_ns > max_ns) {
		l->limit_ns /= 2;
		if (l->limit_ns < LOOK_MIN_NS)
			l->limit_ns = 0;
		return;
	}
	l->limit_ns = l->limit_ns == 0 ? LOOK_MIN_NS : 2 * l->limit_ns;
	if (l->limit_ns > max_ns)
		l->limit_ns = max_ns;
}

#endif
