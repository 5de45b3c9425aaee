/* SPDX-License-Identifier: Apache-2.0 */
/*
 * avail.pml - model of priorities in libatmi/transport/shm/exchange.c
 *
 * Two priorities, each a ring, which is one step here (ring.pml models it),
 * and the word `avail` with a bit for each ring. A sender puts a message, then
 * sets the bit unless it is set. A taker goes through the bits from the
 * highest. If a ring is empty and a lower ring may hold messages, the taker
 * clears the bit of the empty ring and checks that ring once more. Each atomic
 * is one access to a shared word.
 *
 * What must hold
 *	when all senders have ended, a taker that finds no message has left
 *	none (if no process died)
 *	messages hidden by a death are visible again after a repair
 *
 * With one of these defined the protocol lacks a step, and a claim must fail:
 *	NO_SECOND_CHECK	a cleared ring is not checked again
 *	BIT_FIRST	a sender sets the bit before it puts its message
 *	NO_REPAIR	rings with a clear bit are never checked
 */
#ifndef SENDERS
#define SENDERS 3
#endif
#ifndef TAKERS
#define TAKERS 2
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#define PRIOS	2
#define BIT(p)	(1 << (p))
#define NONE	PRIOS /* no ring left to check */

byte ring[PRIOS]; /* messages in it */
byte avail = 1;	  /* the low one has been used before */
byte deaths, senders = SENDERS, takers = TAKERS;
byte puts, takes;

#if DEATHS > 0
#define STEP                                             \
	if                                               \
	:: deaths < DEATHS -> deaths++; goto dying       \
	:: true                                          \
	fi;
#else
#define STEP
#endif

/* set_avail() of ring p; `seen` is the caller's. */
inline set_avail(p)
{
	atomic {
		STEP
		seen = (avail & BIT(p)) != 0
	};
	atomic {
		STEP
		if
		:: !seen -> avail = avail | BIT(p)
		:: else
		fi;
		seen = false
	}
}

inline put(p)
{
	atomic {
		STEP
		ring[p]++;
		puts++
	}
}

proctype sender()
{
	byte p;
	bool seen;

	if
	:: p = 0
	:: p = 1
	fi;
#ifdef BIT_FIRST
	set_avail(p);
	put(p);
#else
	put(p);
	set_avail(p);
#endif
dying:	senders--
}

/* next_prio(): the highest ring below `below` */
inline next_prio(below, ret)
{
	if
	:: below > 1 && (avail & BIT(1)) -> ret = 1
	:: !(below > 1 && (avail & BIT(1))) && below > 0 && (avail & BIT(0)) ->
		ret = 0
	:: else -> ret = NONE
	fi
}

proctype taker()
{
	byte p, lower;
	bool seen, last;

begin:	atomic {
		STEP
		last = senders == 0; /* no message comes after this check */
		next_prio(PRIOS, p)
	};
look:	atomic {
		STEP
		if
		:: p == NONE -> goto empty_now
		:: p != NONE && ring[p] > 0 ->
			ring[p]--;
			takes++;
			goto begin
		:: else
		fi
	};
	atomic {
		STEP
		next_prio(p, lower);
		if
		:: lower == NONE -> p = NONE; goto empty_now
		:: else
		fi
	};
	/* clear_avail() */
	atomic {
		STEP
		avail = avail & ~BIT(p)
	};
#ifndef NO_SECOND_CHECK
	atomic {
		STEP
		if
		:: ring[p] == 0 -> goto cleared
		:: else
		fi
	};
	set_avail(p);
#endif
cleared: atomic {
		p = lower;
		lower = 0;
		goto look
	};
empty_now: /* EMPTY: more messages may come, or not */
	atomic {
		p = 0;
		lower = 0;
		if
		:: !last && senders == 0 -> goto begin
		:: !last && senders > 0 ->
			(senders == 0 || ring[0] + ring[1] > 0) -> goto begin
		:: last
		fi
	};
dying:	takers--
}

/* When all have ended, a later process repairs the queue (ow_shmq_repair(), at
 * a tick). */
proctype judge()
{
	byte p;

	atomic {
		senders == 0 && takers == 0;
#ifndef NO_REPAIR
		if
		:: deaths > 0 ->
			do
			:: p < PRIOS ->
				if
				:: ring[p] > 0 -> avail = avail | BIT(p)
				:: else
				fi;
				p++
			:: else -> break
			od
		:: else
		fi;
#endif
		/* No message is hidden; without deaths none is left. */
		assert(ring[0] == 0 || (avail & BIT(0)));
		assert(ring[1] == 0 || (avail & BIT(1)));
		assert(deaths > 0 || ring[0] + ring[1] == 0);
		assert(puts == takes + ring[0] + ring[1])
	}
}

init {
	byte i;

	atomic {
		do
		:: i < SENDERS -> run sender(); i++
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
