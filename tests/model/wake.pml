/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake.pml - model of waking in libatmi/transport/shm: wake.c, waitset.c
 *
 * Senders put messages and wake servers; servers check, take, serve, sleep.
 * Each atomic below is one access to shared words (and what the process does
 * with the value), so that any step of another process, or a death, may happen
 * between any two of them. A ring is one step here (ring.pml models it), and
 * there is one priority (avail.pml models them). The choice among idle servers
 * is open: it covers hot, even and any other.
 *
 * What must hold
 *	when no process can take a step, no message is left while a living
 *	server sleeps (without clock, nudge or sweep, if no process dies)
 *	one wake-up at a time is pending for a queue (if none is overdue)
 *	after a death, sleeping servers need at most two polls (the first may
 *	wake the dead server; in the code the second comes 20 ms later and
 *	takes messages: ow_queue_attendance()); then waking works as before
 *	a server that is held up in its service (HELD) changes none of that
 *
 *	QUEUES, SERVERS, SENDERS, EACH	how many; messages of a sender
 *	DEATHS	processes that die anywhere (ow_shmq_leave() removes dead
 *		servers some time, or never)
 *	HELD	servers whose service never ends
 *	LEAVES	servers that leave the queue
 *	CLOSED	a sender waits until its message has been taken
 *	OVERDUE	any pending wake-up may count as overdue at any time
 *	TICKS	time-outs of sleeping servers, at any time
 *	LOOKS	a server may look at its wake word before it sleeps
 *
 * With one of these defined the protocol lacks a step, and a claim must fail:
 *	NO_CHECK_AFTER_IDLE	a server sleeps without the last check
 *	IDLE_AFTER_CHECK	the last check comes before the idle bit
 *	NO_CHECK_ON_FINISH	a woken server does not wake the next
 *	NO_CHECK_AFTER_CLEARING	a process that found no idle server does not
 *				check the queue again
 *	NO_FINISH		a server woken in vain does not clear the
 *				pending wake-up
 *	NO_PENDING		senders ignore pending wake-ups
 *	NO_NOTIFY_ON_LEAVE	a server that leaves wakes no other
 *	NO_AGE			a dead server's wake-up is never overdue
 *	NO_NOTIFY_ON_TICK	a polling server wakes no server
 *	NO_SECOND_TRY		a process that wakes a server gives up if the
 *				server's look has just ended
 *	STORES_IDLE		a server stores IDLE after a look, even if it
 *				was chosen meanwhile
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
#define LOOKING	 2
#define WOKEN	 3 /* + queue */
#define NOBODY	 0
#define CHOOSING (SERVERS + 1)
#define BIT(s)	 (1 << (s))

/* Where the server goes on after notify(). */
#define TAKE   1
#define SETTLE 2
#define LEAVE  3
#define LOOK   4

byte depth[QUEUES];
byte pending[QUEUES]; /* NOBODY, 1 + server, CHOOSING */
bool aged[QUEUES];   /* pending has not changed since a tick: overdue */
byte idle[QUEUES];   /* bits */
byte wake_word[SERVERS];
bool sleeping[SERVERS]; /* in futex_wait() */
bool member[SERVERS];

/* What happened, for the assertions. */
byte coming[QUEUES]; /* servers woken for the queue that have not polled it */
byte deaths, ticks, held, left, early; /* ticks with nothing lost */
byte dead; /* bits of dead servers that are still members */

#define MESSAGES_LEFT (depth[0] + depth[QUEUES - 1] > 0)
#define A_SLEEPER   (sleeping[0] || sleeping[SERVERS - 1] || \
		     sleeping[SERVERS / 2])

#ifdef NO_AGE
#define IS_OVERDUE(q) false
#else
#define IS_OVERDUE(q) aged[q]
#endif

#ifdef LOOKS
#define WAS	   byte was;
#define WAS_IS_OLD was = 0;
#else
#define WAS
#define WAS_IS_OLD
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

inline set_pending(q, v)
{
	pending[q] = v;
	aged[q] = false
}

/* ow_shmq_notify(), with wake_one() and wake_rank(). Used once in each process,
 * because of its labels. It ends at out. */
inline notify(q)
{
	skip;
again:	atomic {
		STEP
		way = pending[q];
		late = IS_OVERDUE(q);
#ifdef OVERDUE
		if
		:: late = true
		:: true
		fi
#endif
	};
	atomic {
		STEP
#ifdef NO_PENDING
		late = true;
#endif
		if
		:: idle[q] == 0 ||
		   (way != NOBODY && !late) -> goto out
		:: else
		fi
	};
	atomic { /* claim_and_wake() */
		STEP
		if
		:: pending[q] == way -> set_pending(q, CHOOSING)
		:: else -> goto out
		fi
	};
pick:	atomic { /* choose() */
		STEP
		if
		:: idle[q] == 0 -> goto none
		:: (idle[q] & BIT(0)) -> i = 0
		:: (idle[q] & BIT(1)) -> i = 1
		:: (idle[q] & BIT(2)) -> i = 2
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
		set_pending(q, i + 1)
	};
#ifdef LOOKS
read:	atomic { /* ow_word_wake(): the load */
		STEP
		was = wake_word[i]
	};
#endif
	atomic { /* wake_rank(), and the change of the word */
		STEP
		if
#ifdef LOOKS
		:: member[i] && (was == IDLE || was == LOOKING) &&
		   wake_word[i] != was ->
#ifdef NO_SECOND_TRY
			goto pick
#else
			goto read
#endif
		:: member[i] && (was == IDLE || was == LOOKING) &&
		   wake_word[i] == was ->
#else
		:: member[i] && wake_word[i] == IDLE ->
#endif
			wake_word[i] = WOKEN + q;
#if !defined(OVERDUE) && DEATHS == 0
			assert(coming[q] == 0);
#endif
			coming[q]++
		:: else -> goto pick
		fi
	};
	atomic { /* futex_wake(), unless the server looks */
		STEP
#ifdef LOOKS
		if
		:: was == LOOKING -> goto out
		:: else
		fi;
#endif
		sleeping[i] = false;
		goto out
	};
none:	atomic {
		STEP
		set_pending(q, NOBODY)
	};
#ifndef NO_CHECK_AFTER_CLEARING
	atomic {
		STEP
		if
		:: depth[q] > 0 -> goto again
		:: else
		fi
	};
#endif
out:	atomic { way = 0; i = 0; WAS_IS_OLD late = false }
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
		way = pending[q]
	};
	atomic {
		STEP
		if
		:: way == who + 1 && pending[q] == way ->
			set_pending(q, NOBODY)
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
	WAS
	bool late;

put:	atomic { /* ow_shmq_put() */
#ifdef CLOSED
		!MESSAGES_LEFT;
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
	byte to_poll; /* bits: queues it was woken for and has not polled */
	byte back;    /* where to go on after notify() */
	WAS
	bool late, got;
	bool poll_only; /* not woken for a queue */

awake:	atomic { /* find_message(), beginning with queue `next` */
		STEP
		if
		:: poll_only -> goto sleep
		:: !poll_only && k == QUEUES -> k = 0; q = 0; goto settle
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
		:: (to_poll & BIT(q)) == 0 -> goto serve
		:: else -> to_poll = to_poll & ~BIT(q); back = TAKE; goto arrived
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
		:: q < QUEUES && (to_poll & BIT(q)) == 0 -> q++; goto settle
		:: else -> to_poll = to_poll & ~BIT(q); back = SETTLE
		fi;
#ifndef NO_FINISH
		goto arrived
#else
		coming[q]--
#endif
	};
settled: atomic { q++; goto settle };
sleep:	/* wait_until_woken() */
#ifdef IDLE_AFTER_CHECK
	if
	:: MESSAGES_LEFT -> goto awake
	:: else
	fi;
#endif
	atomic {
		STEP
#ifdef LOOKS
		if
		:: wake_word[id] = LOOKING
		:: wake_word[id] = IDLE
		fi
#else
		wake_word[id] = IDLE
#endif
	};
	do /* ow_shmq_set_idle() */
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
look:	/* check_before_sleep() */
#if !defined(NO_CHECK_AFTER_IDLE) && !defined(IDLE_AFTER_CHECK)
	atomic {
		STEP
		if
		:: k == QUEUES -> k = 0; goto wait
		:: k < QUEUES && depth[k] == 0 -> k++; goto look
		:: k < QUEUES && depth[k] > 0 && !poll_only -> k = 0; goto up
		:: else -> q = k; back = LOOK
		fi
#ifdef NO_NOTIFY_ON_TICK
		;
		goto out
#endif
	};
	goto again;
checked:	atomic { k++; goto look };
#endif
wait:
#ifdef LOOKS
	atomic { /* look_first(): the look ends some time */
		STEP
		if
#ifdef STORES_IDLE
		:: wake_word[id] == LOOKING -> got = true
		:: else
		fi
	};
	atomic {
		STEP
		if
		:: got -> got = false; wake_word[id] = IDLE
#else
		:: wake_word[id] == LOOKING -> wake_word[id] = IDLE
#endif
		:: else
		fi
	};
#endif
	atomic { /* futex_wait() */
		STEP
		poll_only = true;
		if
		:: wake_word[id] == IDLE -> sleeping[id] = true
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
		timeout && MESSAGES_LEFT -> /* the sleep times out: a tick */
		assert(ticks < 2 * deaths);
		ticks++;
		sleeping[id] = false;
		aged[0] = (pending[0] != NOBODY);
		aged[QUEUES - 1] = (pending[QUEUES - 1] != NOBODY)
	   }
#endif
	fi;
up:	atomic {
		STEP
		if
		:: wake_word[id] >= WOKEN ->
			next = wake_word[id] - WOKEN;
			to_poll = to_poll | BIT(next);
			poll_only = false
		:: else
		fi;
		wake_word[id] = AWAKE;
		goto awake
	};
arrived: /* ow_shmq_finish_wake() */
	atomic {
		STEP
		way = pending[q];
		coming[q]--
	};
	atomic {
		STEP
		if
		:: way == id + 1 && pending[q] == way ->
			set_pending(q, NOBODY)
		:: else
		fi
	};
#ifndef NO_CHECK_ON_FINISH
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
#if !defined(NO_CHECK_AFTER_IDLE) && !defined(IDLE_AFTER_CHECK)
	:: back == LOOK -> back = 0; q = 0; goto checked
#endif
	fi;
leaving: /* ow_shmq_leave() */
	atomic {
		STEP
		if
		:: q == QUEUES -> q = 0; goto done
		:: else -> back = LEAVE
		fi;
		coming[q] = coming[q] - ((to_poll & BIT(q)) != 0);
		to_poll = to_poll & ~BIT(q);
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

/* ndrxd notices a dead server some time, or never; it may die too. */
proctype reaper()
{
	byte q, who, way, i;
	WAS
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
		:: goto dying /* the death is never noticed */
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

/* When no process can take a step, not even by a time-out. */
proctype judge()
{
	atomic {
		timeout && !(DEATHS > 0 && MESSAGES_LEFT && A_SLEEPER) ->
		assert(!(MESSAGES_LEFT && A_SLEEPER))
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
