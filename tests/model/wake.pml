/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake.pml - model of libatmi/transport/shm/wake.c and shm/waitset.c: whom to wake
 *
 * Senders put messages and wake servers; servers look, take, serve, sleep.
 * Each atomic below is one access to shared words (and what the process makes
 * of it), so that everything may happen between any two of them, a death too.
 * The rings are one step here (ring.pml has them), priorities none
 * (avail.pml). Which of the idle ones is chosen is left open: hot, even, and
 * any other way are covered.
 *
 * What must hold
 *	when nobody can do anything more, no message is left while a living
 *	server sleeps (without clock, nudge, or sweep, if nobody dies)
 *	one server at a time is woken and on its way to a queue (if nobody is
 *	late)
 *	a death costs the others two looks of sleeping servers at most (the
 *	first may wake the dead one; in the code the second comes 20 ms later,
 *	and takes: ow_queue_care()); after
 *	that, waking works as ever
 *	a server that is held up in its service (HELD) changes none of that
 *
 *	QUEUES, SERVERS, SENDERS, EACH	how many; messages of a sender
 *	DEATHS	processes that die anywhere (dead servers are cleared away by
 *		ow_shmq_leave() some time, or never)
 *	HELD	servers that never come back from their service
 *	LEAVES	servers that stop serving
 *	CLOSED	a sender waits until its message has been taken
 *	LATE	any server may count as late at any time
 *	FEW	services are quick: only the first server is woken
 *	TICKS	sleeping servers whose second is over, at any time
 *
 * With one of these defined, the protocol lacks something, and the model
 * must notice:
 *	NO_LOOK_AFTER_IDLE	asleep without a last look
 *	IDLE_AFTER_LOOK		the last look comes before the idle bit
 *	NO_LOOK_ON_ARRIVAL	a woken server does not wake the next
 *	NO_LOOK_AFTER_GIVING_UP	who found nobody idle does not look again
 *	NO_SETTLE		woken, found nothing, says nothing
 *	NO_ON_WAY		senders always wake somebody
 *	NO_NOTIFY_ON_LEAVE	who leaves does not pass the wake-up on
 *	NO_AGE			a dead server stays on its way for ever
 *	NO_NOTIFY_ON_TICK	who looks without being woken wakes nobody
 */
#ifndef QUEUES
#define QUEUES 1
#endif
#ifndef SERVERS
#define SERVERS 2
#endif
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef EACH
#define EACH 1
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#ifndef HELD
#define HELD 0
#endif
#ifndef LEAVES
#define LEAVES 0
#endif
#ifndef TICKS
#define TICKS 0
#endif

#define AWAKE	 0
#define IDLE	 1
#define WOKEN	 2 /* + queue */
#define NOBODY	 0
#define CHOOSING (SERVERS + 1)
#define BIT(s)	 (1 << (s))

/* Who goes on after notify(). */
#define TAKE   1
#define SETTLE 2
#define LEAVE  3
#define LOOK   4

byte depth[QUEUES];
byte on_way[QUEUES]; /* NOBODY, 1 + server, CHOOSING */
bool aged[QUEUES];   /* on_way has not changed since a tick: it is late */
byte idle[QUEUES];   /* bits */
byte bell[SERVERS];
bool sleeping[SERVERS]; /* in futex_wait() */
bool member[SERVERS];

/* What really happened. */
byte coming[QUEUES]; /* servers woken for the queue that have not looked */
byte deaths, ticks, held, left, early; /* ticks with nothing lost */
byte dead; /* bits of servers that nobody has cleared away */

#define ALL_WAITING (depth[0] + depth[QUEUES - 1] > 0)
#define A_SLEEPER   (sleeping[0] || sleeping[SERVERS - 1] || \
		     sleeping[SERVERS / 2])

#ifdef FEW
#define EYED (member[0] -> BIT(0) : BIT(1))
#else
#define EYED 7
#endif

#ifdef NO_AGE
#define IS_LATE(q) false
#else
#define IS_LATE(q) aged[q]
#endif

/* Before each step, a process may die. */
#if DEATHS > 0
#define STEP                                             \
	if                                               \
	:: deaths < DEATHS -> deaths++; goto dying       \
	:: true                                          \
	fi;
#else
#define STEP
#endif

inline set_on_way(q, v)
{
	on_way[q] = v;
	aged[q] = false
}

/* ow_shmq_notify(), with wake_one() and ring(); once in a process, for its
 * labels. It ends at out. */
inline notify(q)
{
	skip;
again:	atomic {
		STEP
		way = on_way[q];
		late = IS_LATE(q);
#ifdef LATE
		if
		:: late = true
		:: true
		fi
#endif
	};
	atomic {
		STEP
#ifdef NO_ON_WAY
		late = true;
#endif
		if
		:: (idle[q] & EYED) == 0 ||
		   (way != NOBODY && !late) -> goto out
		:: else
		fi
	};
	atomic { /* claim_and_wake() */
		STEP
		if
		:: on_way[q] == way -> set_on_way(q, CHOOSING)
		:: else -> goto out
		fi
	};
pick:	atomic { /* choose() */
		STEP
		if
		:: (idle[q] & EYED) == 0 -> goto none
		:: (idle[q] & EYED & BIT(0)) -> i = 0
		:: (idle[q] & EYED & BIT(1)) -> i = 1
		:: (idle[q] & EYED & BIT(2)) -> i = 2
		fi
	};
	atomic {
		STEP
		if
		:: (idle[q] & BIT(i)) == 0 -> goto pick
		:: else -> idle[q] = idle[q] & ~BIT(i)
		fi
	};
	atomic {
		STEP
		set_on_way(q, i + 1)
	};
	atomic { /* ring() */
		STEP
		if
		:: member[i] && bell[i] == IDLE ->
			bell[i] = WOKEN + q;
#if !defined(LATE) && DEATHS == 0
			assert(coming[q] == 0);
#endif
			coming[q]++
		:: else -> goto pick
		fi
	};
	atomic { /* futex_wake() */
		STEP
		sleeping[i] = false;
		goto out
	};
none:	atomic {
		STEP
		set_on_way(q, NOBODY)
	};
#ifndef NO_LOOK_AFTER_GIVING_UP
	atomic {
		STEP
		if
		:: depth[q] > 0 -> goto again
		:: else
		fi
	};
#endif
out:	atomic { way = 0; i = 0; late = false }
}

/* ow_shmq_leave() for server `who`, after its idle bit; before notify(). */
inline leave(q, who)
{
	atomic {
		STEP
		member[who] = false
	};
	atomic {
		STEP
		way = on_way[q]
	};
	atomic {
		STEP
		if
		:: way == who + 1 && on_way[q] == way ->
			set_on_way(q, NOBODY)
		:: else
		fi
#ifdef NO_NOTIFY_ON_LEAVE
		;
		goto out
#endif
	}
}

proctype sender()
{
	byte n, q, way, i;
	bool late;

put:	atomic { /* ow_shmq_put() */
#ifdef CLOSED
		!ALL_WAITING;
#endif
		STEP
		if
		:: n == EACH -> goto dying
		:: else
		fi;
		if
		:: q = 0
		:: QUEUES > 1 -> q = QUEUES - 1
		fi;
		n++;
		depth[q]++
	};
	notify(q);
	goto put;
dying:	skip
}

proctype server(byte id)
{
	byte q, next, way, i, k;
	byte woken; /* bits: queues it was woken for, and has not looked */
	byte back;  /* who goes on after notify() */
	bool late, got;
	bool looks; /* nobody woke it for work */

awake:	atomic { /* find_work(): from `next` on */
		STEP
		if
		:: looks -> goto sleep
		:: !looks && k == QUEUES -> k = 0; q = 0; goto settle
		:: else
		fi;
		q = (next + k) % QUEUES;
		k++;
		if
		:: depth[q] == 0 -> goto awake
		:: else -> k = 0
		fi
	};
take:	atomic {
		STEP
		got = depth[q] > 0;
		depth[q] = depth[q] - got;
		if
		:: (woken & BIT(q)) == 0 -> goto serve
		:: else -> woken = woken & ~BIT(q); back = TAKE; goto arrived
		fi
	};
taken:	if
	:: !got -> goto take
	:: else
	fi;
serve:	atomic {
		STEP
		next = (q + 1) % QUEUES;
		if
		:: got && held < HELD -> held++; goto done
		:: left < LEAVES -> left++; q = 0; goto leaving
		:: true -> got = false; goto awake
		fi
	};
settle:	atomic {
		STEP
		if
		:: q == QUEUES -> q = 0; goto sleep
		:: q < QUEUES && (woken & BIT(q)) == 0 -> q++; goto settle
		:: else -> woken = woken & ~BIT(q); back = SETTLE
		fi;
#ifndef NO_SETTLE
		goto arrived
#else
		coming[q]--
#endif
	};
settled: atomic { q++; goto settle };
sleep:	/* sleep_till_rung() */
#ifdef IDLE_AFTER_LOOK
	if
	:: ALL_WAITING -> goto awake
	:: else
	fi;
#endif
	atomic {
		STEP
		bell[id] = IDLE
	};
	do /* ow_shmq_say_idle() */
	:: atomic {
		STEP
		got = (idle[k] & BIT(id)) != 0
	   };
	   atomic {
		STEP
		if
		:: !got -> idle[k] = idle[k] | BIT(id)
		:: else
		fi;
		got = false;
		k++;
		if
		:: k == QUEUES -> k = 0; break
		:: else
		fi
	   }
	od;
look:	/* look_once_more() */
#if !defined(NO_LOOK_AFTER_IDLE) && !defined(IDLE_AFTER_LOOK)
	atomic {
		STEP
		if
		:: k == QUEUES -> k = 0; goto wait
		:: k < QUEUES && depth[k] == 0 -> k++; goto look
		:: k < QUEUES && depth[k] > 0 && !looks -> k = 0; goto up
		:: else -> q = k; back = LOOK
		fi
#ifdef NO_NOTIFY_ON_TICK
		;
		goto out
#endif
	};
	goto again;
looked:	atomic { k++; goto look };
#endif
wait:	atomic { /* futex_wait() */
		STEP
		looks = true;
		if
		:: bell[id] == IDLE -> sleeping[id] = true
		:: else -> goto up
		fi
	};
	if
	:: !sleeping[id]
#if TICKS > 0
	:: atomic { early < TICKS -> early++; sleeping[id] = false }
#endif
#if DEATHS > 0
	:: atomic { deaths < DEATHS -> deaths++; goto dying }
	:: atomic {
		timeout && ALL_WAITING -> /* its time-out: a tick */
		assert(ticks < 2 * deaths);
		ticks++;
		sleeping[id] = false;
		aged[0] = (on_way[0] != NOBODY);
		aged[QUEUES - 1] = (on_way[QUEUES - 1] != NOBODY)
	   }
#endif
	fi;
up:	atomic {
		STEP
		if
		:: bell[id] >= WOKEN ->
			next = bell[id] - WOKEN;
			woken = woken | BIT(next);
			looks = false
		:: else
		fi;
		bell[id] = AWAKE;
		goto awake
	};
arrived: /* ow_shmq_arrived() */
	atomic {
		STEP
		way = on_way[q];
		coming[q]--
	};
	atomic {
		STEP
		if
		:: way == id + 1 && on_way[q] == way ->
			set_on_way(q, NOBODY)
		:: else
		fi
	};
#ifndef NO_LOOK_ON_ARRIVAL
	atomic {
		STEP
		if
		:: depth[q] == 0 -> goto out
		:: else
		fi
	};
#else
	goto out;
#endif
	notify(q);
	if
	:: back == TAKE -> back = 0; goto taken
	:: back == SETTLE -> back = 0; goto settled
	:: back == LEAVE -> back = 0; goto gone
#if !defined(NO_LOOK_AFTER_IDLE) && !defined(IDLE_AFTER_LOOK)
	:: back == LOOK -> back = 0; q = 0; goto looked
#endif
	fi;
leaving: /* ow_shmq_leave() */
	atomic {
		STEP
		if
		:: q == QUEUES -> q = 0; goto done
		:: else -> back = LEAVE
		fi;
		coming[q] = coming[q] - ((woken & BIT(q)) != 0);
		woken = woken & ~BIT(q);
		idle[q] = idle[q] & ~BIT(id)
	};
	leave(q, id);
	goto again;
gone:	atomic { q++; goto leaving };
dying:	atomic {
		sleeping[id] = false;
		dead = dead | BIT(id)
	};
done:	skip
}

/* ndrxd hears of a dead server some time, or never; it may die too. */
proctype reaper()
{
	byte q, who, way, i;
	bool late;

hear:	atomic {
		if
		:: (dead & BIT(0)) -> who = 0
		:: (dead & BIT(1)) -> who = 1
		:: (dead & BIT(2)) -> who = 2
		fi;
		dead = dead & ~BIT(who);
		q = 0;
		if
		:: true
		:: goto dying /* nobody ever hears of it */
		fi
	};
next_q:	atomic {
		STEP
		if
		:: q == QUEUES -> goto hear
		:: else -> idle[q] = idle[q] & ~BIT(who)
		fi
	};
	leave(q, who);
	notify(q);
	atomic { q++; goto next_q };
dying:	skip
}

/* When nobody can do anything any more, nobody's clock included. */
proctype judge()
{
	atomic {
		timeout && !(DEATHS > 0 && ALL_WAITING && A_SLEEPER) ->
		assert(!(ALL_WAITING && A_SLEEPER))
	}
}

init {
	byte i;

	atomic {
		do
		:: i < SERVERS ->
			member[i] = true;
			run server(i);
			i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < SENDERS -> run sender(); i++
		:: else -> break
		od;
		if
		:: DEATHS > 0 -> run reaper()
		:: else
		fi;
		run judge()
	}
}
