/* SPDX-License-Identifier: Apache-2.0 */
/*
 * avail.pml - model of libatmi/transport/shm/shmq.c: which rings may hold something
 *
 * Two priorities, each a ring that is one step here (ring.pml has it), and
 * the word `avail` with a bit for each. Senders put a message in, then set
 * the bit unless it is set. The taker goes through the bits from the highest;
 * a ring found empty on the way to a lower one is cleared, and looked at once
 * more. Each atomic is one access to a shared word.
 *
 * What must hold
 *	when the senders have ended, a taker that finds nothing has left
 *	nothing (if nobody died)
 *	what a death has hidden is there again after a repair
 *
 * With one of these defined, the protocol lacks something, and the model
 * must notice:
 *	NO_SECOND_LOOK	a cleared ring is not looked at again
 *	BIT_FIRST	a sender sets the bit before its message is in
 *	NO_REPAIR	nobody looks at rings whose bit is not set
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
#define NONE	PRIOS /* no ring left to look at */

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

/* say_avail() of ring p; `seen` is of its caller. */
inline say_avail(p)
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
	say_avail(p);
	put(p);
#else
	put(p);
	say_avail(p);
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
		last = senders == 0; /* nothing comes after this look */
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
	/* say_empty() */
	atomic {
		STEP
		avail = avail & ~BIT(p)
	};
#ifndef NO_SECOND_LOOK
	atomic {
		STEP
		if
		:: ring[p] == 0 -> goto cleared
		:: else
		fi
	};
	say_avail(p);
#endif
cleared: atomic {
		p = lower;
		lower = 0;
		goto look
	};
empty_now: /* EMPTY: others may still come, or not */
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

/* What is left when all have ended is looked for by one who comes later: a
 * tick, with ow_shmq_repair() before it. */
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
		/* Nothing may be hidden; without deaths nothing is left. */
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
