/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.pml - model of put and take in libatmi/transport/block/ring.c
 *
 * Senders put blocks, takers take them, and a process may die between any two
 * accesses to shared words. Each shared word is read or changed by one atomic
 * step, as in the code; names follow the code. A block is one message here and
 * is used once.
 *
 * What must hold
 *	a message is taken at most once, and messages in the order of putting
 *	in the end no message is left in the ring while a taker lives
 *	no put reports FULL and no take EMPTY without reason; each new try
 *	follows a step of another process (no livelock)
 *	no living process is stuck, whichever process died at whichever step
 *
 * With one of these defined the protocol lacks a step, and a claim must fail:
 *	NO_HELP_TAIL	put does not move the tail on for a dead process
 *	NO_HELP_HEAD	take does not move the head on for a dead process
 *	NO_CLAIM	take trusts the cell and does not claim the block
 *	NO_LAP		cells do not carry their lap
 *	NO_DROP_STALE	a cell whose block is gone stays filled
 */
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef TAKERS
#define TAKERS 2
#endif
#ifndef EACH
#define EACH 2 /* messages of a sender */
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#ifndef SIZE
#define SIZE 2 /* cells */
#endif
#define MESSAGES (SENDERS * EACH)
#define TRIES	 24

#ifdef NO_LAP
#define LAP(pos) 0
#else
#define LAP(pos) ((pos) / SIZE)
#endif
#define IS_FILLED(c, l) (c.filled && c.lap == (l))
#define IS_EMPTY(c, l)	(!c.filled && c.lap == (l))

mtype = { HELD, QUEUED, TAKEN };

typedef cell_t {
	bool filled;
	byte lap;
	byte ref;
};

cell_t cell[SIZE];
byte head, tail;	 /* positions */
mtype state[MESSAGES];	 /* of the blocks */
byte deaths;
byte senders = SENDERS; /* that have not finished, and live */
byte takers_done;	/* ended: all messages taken, no sender left */

/* A process may die before each step. */
#if DEATHS > 0
#define STEP                                             \
	if                                               \
	:: deaths < DEATHS -> deaths++; goto dying       \
	:: true                                          \
	fi;
#else
#define STEP
#endif

/* Count tries (no livelock); only if defined, for the count multiplies the
 * states. */
#ifdef CIRCLES
#define TRY tries++; assert(tries < TRIES);
#else
#define TRY
#endif

/* What happened, for the assertions. */
byte puts, takes;	 /* cells filled; blocks claimed */
byte order[MESSAGES];	 /* 1 + place in the order of filling, 0: not in */
byte got[MESSAGES];	 /* times it was handed to a caller */

#define HAS(c, v) (c.filled == v.filled && c.lap == v.lap && c.ref == v.ref)

inline look_at(pos)
{
	v.filled = cell[pos % SIZE].filled;
	v.lap = cell[pos % SIZE].lap;
	v.ref = cell[pos % SIZE].ref
}

inline forget()
{
	atomic { v.filled = false; v.lap = 0; v.ref = 0; t = 0; tries = 0 }
}

inline move_on(mark, from)
{
	if
	:: mark == from -> mark = from + 1
	:: else
	fi
}

proctype sender(byte id)
{
	byte i, t, m, tries;
	cell_t v;

	/* ow_ring_put(). Each atomic is one access to a shared word. */
next:	atomic {
		STEP
		if
		:: i == EACH -> goto done
		:: else
		fi;
		m = id * EACH + i;
		state[m] = QUEUED
	};
again:	atomic {
		STEP
		TRY
		t = tail
	};
	atomic {
		STEP
		look_at(t);
		if
		:: IS_EMPTY(v, LAP(t))
		:: else -> goto behind
		fi
	};
	atomic { /* compare-and-swap of the cell */
		STEP
		if
		:: HAS(cell[t % SIZE], v) ->
			cell[t % SIZE].filled = true;
			cell[t % SIZE].ref = m;
			puts++;
			assert(order[m] == 0);
			order[m] = puts
		:: else -> goto again
		fi
	};
	atomic {
		STEP
		move_on(tail, t);
		forget();
		i++;
		goto next
	};
behind:	atomic {
		STEP
		if
		:: tail != t -> goto again
		:: IS_FILLED(v, LAP(t) - 1) && tail == t -> goto full_now
		:: else ->
			assert(IS_FILLED(v, LAP(t)) || IS_EMPTY(v, LAP(t) + 1))
		fi
	};
#ifndef NO_HELP_TAIL
	atomic { STEP move_on(tail, t) };
#endif
	goto again;
full_now: /* FULL, then ow_shmq_wait_room() until a cell is free */
	atomic {
		!cell[t % SIZE].filled;
		forget();
		goto again
	};
dying:
done:	senders--
}

#define WAITS (cell[head % SIZE].filled)

proctype taker()
{
	byte t, m, tries;
	bool mine;
	cell_t v;
	mtype s;

again:	atomic {
		STEP
		TRY
		mine = false;
		t = head
	};
	atomic {
		STEP
		look_at(t);
		if
		:: IS_FILLED(v, LAP(t))
		:: else -> goto behind
		fi
	};
	/* ow_block_claim() */
#ifndef NO_CLAIM
	atomic { STEP s = state[v.ref] };
	atomic {
		STEP
		if
		:: !HAS(cell[t % SIZE], v) -> goto again
		:: else
		fi;
		if
		:: s != QUEUED -> goto stale
		:: else
		fi
	};
	atomic { /* compare-and-swap of the state */
		STEP
		if
		:: state[v.ref] != s -> goto again
		:: else
		fi;
		state[v.ref] = TAKEN;
		takes++;
		assert(order[v.ref] == takes);
		mine = true
	};
#else
	atomic { STEP state[v.ref] = TAKEN; mine = true };
#endif
drop:	atomic {
		STEP
		if
		:: HAS(cell[t % SIZE], v) ->
			cell[t % SIZE].filled = false;
#ifndef NO_LAP
			cell[t % SIZE].lap = LAP(t) + 1;
#endif
			cell[t % SIZE].ref = 0
		:: else
		fi
	};
	atomic {
		STEP
		move_on(head, t);
		if
		:: !mine -> goto again
		:: else
		fi;
		m = v.ref;
		got[m]++;
		assert(got[m] == 1);
		m = 0;
		s = 0;
		forget();
		goto again
	};
stale:
#ifndef NO_DROP_STALE
	goto drop;
#else
	goto again;
#endif
behind:	atomic {
		STEP
		if
		:: head != t -> goto again
		:: IS_EMPTY(v, LAP(t)) && head == t -> goto none
		:: else ->
			assert(IS_EMPTY(v, LAP(t) + 1) ||
			       IS_FILLED(v, LAP(t) + 1))
		fi
	};
#ifndef NO_HELP_HEAD
	atomic { STEP move_on(head, t) };
#endif
	goto again;
none:	atomic { /* EMPTY; try again when a message may have come */
		forget();
		s = 0;
		if
		:: tail != head || WAITS -> goto again
		:: senders == 0 && tail == head && !WAITS
		fi
	};
	takers_done++;
dying:	skip
}

#define LEFT_IN(c) (cell[c].filled && state[cell[c].ref] == QUEUED)

/* When no process can take a step. */
proctype judge()
{
	byte i;

	atomic {
		timeout ->
		/* No living taker waits; senders wait only if no taker is
		 * left. */
		assert(takers_done + deaths >= TAKERS);
		assert(senders == 0 || takers_done == 0);
		do
		:: i < SIZE -> assert(takers_done == 0 || !LEFT_IN(i)); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < MESSAGES ->
			/* Every message put was taken. */
			assert(takers_done == 0 || order[i] == 0 ||
			       state[i] == TAKEN);
			/* Taken: handed over, or its taker died holding it. */
			assert(state[i] != TAKEN || got[i] == 1 || deaths > 0);
			i++
		:: else -> break
		od
	}
}

init {
	byte i;

	atomic {
		do
		:: i < MESSAGES -> state[i] = HELD; i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < SENDERS -> run sender(i); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < TAKERS -> run taker(); i++
		:: else -> break
		od;
		run judge()
	}
}
