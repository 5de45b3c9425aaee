/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell.pml - model of waking in libatmi/transport/posix: bell.c, waitset.c
 *
 * Senders put messages into a kernel queue and write bytes into a FIFO; servers
 * wait in epoll sets of their own with EPOLLEXCLUSIVE, take a byte, change the
 * word, receive, look, serve, and receive again in runs. Each atomic below is
 * one system call or one access to the word, so any step of another process,
 * or a death, may happen between any two of them. There is one queue, and one
 * priority.
 *
 * What the kernel does with a byte: it walks along the sets of all servers, in
 * order, and puts the FIFO on the ready list of each, until it finds one that
 * sleeps, which it wakes. A set reports what is on its ready list while the
 * FIFO has a byte; when it finds none it takes the FIFO off the list.
 *
 * What must hold
 *	when no process can take a step, no message is left while a living
 *	server sleeps (without clock, nudge or poll, if no process dies)
 *	after deaths, so many nudges are enough
 *
 *	SERVERS, SENDERS, EACH	how many; messages of a sender
 *	KEPT	messages that wait before the servers join, without a byte
 *	DEATHS	processes that die anywhere
 *	HELD	servers whose service never ends
 *	LEAVES	sleeping servers that leave
 *	TICKS	polls of sleeping servers, at any time
 *	LATE	any server on its way may count as late at any time; the bytes
 *		for such are BOUND at most
 *	ASKS	nudges of callers that find a server on its way
 *	LOOKS	a server may announce itself before it sleeps (announce.h)
 *	DOZES	it may doze before it sleeps (doze.h), for ever
 *	DOZES_END	or for any time
 *
 *	STANDBYS	a server that arrives may stand by while another works, for
 *		ever: its looks are left out
 *
 * With one of these defined the protocol lacks a step, and a claim must fail:
 *	NO_MORE		a sender that wakes nobody does not set MORE
 *	NO_LOOK_ON	a server that has found MORE does not look
 *	TWO_STEPS	a server reads the word, then stores 0
 *	NEVER_SEVERAL	a server that has looked leaves no MORE
 *	SEVERAL_LATER	it sets MORE after the byte
 *	BYTE_FIRST	the byte comes before the word
 *	NO_NUDGE_ON_JOIN	a server that joins nudges nobody
 *	NUDGE_FOR_ONE	a nudge does not set MORE
 *	NO_SECOND_LOOK	who has written a byte does not look who dozes
 *	NO_FIRST_LOOK	a server that dozes does not look for a byte
 *	NO_EMPTY	a server that has worked does not set EMPTY
 *	STAYS	nor does it end a standby
 *	ONCE	it does, but does not receive once more
 *	NOT_TOLD	it receives once more, but does not look whether there is more
 *	CUT	it ends its work before the queue is empty, although one stands by
 */
#ifndef SERVERS
#define SERVERS 2
#endif
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef EACH
#define EACH 1
#endif
#ifndef KEPT
#define KEPT 0
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
#ifndef ASKS
#define ASKS 0
#endif
#ifndef BOUND
#define BOUND 2
#endif

#define RUNG 1
#define MORE 2
#define STANDBY 4
#define EMPTY 8

byte depth, word, bytes;
byte looker;	       /* 1 + server, 0 */
bool member[SERVERS];  /* the FIFO is in its set */
bool ready[SERVERS];   /* and on its ready list */
bool asleep[SERVERS];  /* in epoll_wait() */
bool place[SERVERS];   /* it has a place, and dozes or is about to */
bool roused[SERVERS];  /* its word says so */
bool dozing[SERVERS];  /* it sleeps on its word */
bool works[SERVERS];   /* has received, and has not left */

/* What happened, for the assertions. */
byte deaths, nudges, held, gone, ticks, asks;

#define ANOTHER_WORKS ((id != 0 && works[0]) || \
	(id != SERVERS - 1 && works[SERVERS - 1]) || \
	(id != SERVERS / 2 && works[SERVERS / 2]))
#define A_SLEEPER (asleep[0] || asleep[SERVERS - 1] || asleep[SERVERS / 2] || \
	dozing[0] || dozing[SERVERS - 1] || dozing[SERVERS / 2])

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

/* write(), within an atomic */
inline write_byte()
{
	bytes++;
	i = 0;
	do
	:: i < SERVERS && !member[i] -> i++
	:: i < SERVERS && member[i] && !asleep[i] -> ready[i] = true; i++
	:: i < SERVERS && member[i] && asleep[i] ->
		ready[i] = true;
		asleep[i] = false;
		break
	:: i == SERVERS -> break
	od;
	i = 0
}

/* ow_doze_take(), its first step: who is taken out, or SERVERS. */
inline take_place()
{
	who = 0;
	do
	:: who < SERVERS && !place[who] -> who++
	:: who < SERVERS && place[who] -> place[who] = false; break
	:: who == SERVERS -> break
	od
}

/* ow_doze_rouse() */
inline rouse()
{
	if
	:: who < SERVERS -> roused[who] = true; dozing[who] = false
	:: else
	fi;
	who = 0
}

/* ow_bell_ring(). Used once in each process, because of its labels. It ends at
 * out. */
inline ring()
{
#ifdef BYTE_FIRST
	atomic {
		STEP
		was = word;
		if
		:: was == 0 -> write_byte()
		:: else
		fi
	};
	atomic {
		if
		:: was == 0 && word == 0 -> word = RUNG; goto out
		:: else -> was = word
		fi
	};
#else
	atomic {
		STEP
		was = word;
		if
		:: was == 0 -> word = RUNG | several; goto strike
		:: else
		fi
	};
#endif
again:	atomic { /* ow_bell_ring_again() */
		STEP
#ifdef LATE
		if
		:: was != 0 -> late = true
		:: true
		fi;
#endif
		if
		:: was == 0 -> next = RUNG | several
		:: late -> next = RUNG | MORE
		:: was != 0 && !late && (was & MORE) != 0 -> goto out
		:: was != 0 && !late && (was & MORE) == 0 ->
#ifdef NO_MORE
			goto out
#else
			next = was | MORE
#endif
		fi
	};
	atomic {
		STEP
		if
		:: word != was -> was = word; late = false; goto again
		:: else -> word = next
		fi;
		if
		:: was == 0 -> goto strike
		:: was != 0 && !late -> goto out
		:: else
		fi
	};
	atomic { /* strike_late() */
		STEP
		if
		:: bytes >= BOUND -> goto out
		:: else
		fi
	};
strike:
#ifdef DOZES
	atomic {
		STEP
		take_place();
		if
		:: who < SERVERS -> goto rousing
		:: else
		fi
	};
#endif
	atomic {
		STEP
		write_byte()
	};
#ifdef DOZES
#ifndef NO_SECOND_LOOK
	atomic {
		STEP
		take_place()
	};
rousing:	atomic {
		STEP
		rouse()
	};
#else
	goto out;
rousing:	atomic {
		STEP
		rouse()
	};
#endif
#endif
out:	atomic { was = 0; next = 0; late = false }
}

proctype sender()
{
	byte n, was, next, i, several, who;
	bool late;

put:	atomic { /* mq_timedsend() */
		STEP
		if
		:: n == EACH -> goto dying
		:: else
		fi;
		n++;
		depth++
	};
#ifdef LOOKS
	atomic { /* ow_announce_take() */
		STEP
		if
		:: looker != 0 -> looker = 0; goto put
		:: true /* none, or it is void */
		fi
	};
#endif
	ring();
	goto put;
dying:	skip
}

proctype server(byte id)
{
	byte was, next, i, several, later, who;
	bool late, more, got, event;

	atomic { /* epoll_ctl() */
		STEP
		member[id] = true;
		ready[id] = (bytes > 0)
	};
#ifndef NO_NUDGE_ON_JOIN
	atomic {
		STEP
		if
		:: depth == 0 -> goto wait
		:: else
		fi
	};
	atomic {
		STEP
		word = RUNG | MORE
	};
	atomic {
		STEP
		write_byte()
	};
#endif
wait:
#ifdef LOOKS
	atomic { /* ow_announce() */
		STEP
		if
		:: looker == 0 -> looker = id + 1
		:: true -> goto sleep
		fi
	};
	atomic { /* epoll_wait(), which does not wait */
		STEP
		event = ready[id] && bytes > 0;
		ready[id] = event
	};
	atomic { /* the look ends: ow_announce_withdraw() */
		STEP
		if
		:: looker == id + 1 -> looker = 0
		:: else -> event = false; goto receive
		fi;
		if
		:: event -> event = false; goto accept
		:: else
		fi
	};
sleep:
#endif
#ifdef DOZES
	atomic { /* ow_doze_enter() */
		STEP
		if
		:: roused[id] = false; place[id] = true
		:: true -> goto sleep
		fi
	};
	atomic { /* epoll_wait(), which does not wait */
		STEP
#ifdef NO_FIRST_LOOK
		skip
#else
		event = ready[id] && bytes > 0;
		ready[id] = event
#endif
	};
	atomic { /* ow_doze_sleep() */
		STEP
		if
		:: !event && !roused[id] -> dozing[id] = true
		:: else
		fi
	};
	if
	:: !dozing[id]
#ifdef DOZES_END
	:: atomic { dozing[id] -> dozing[id] = false }
#endif
#if DEATHS > 0
	:: atomic { deaths < DEATHS -> deaths++; goto dying }
#endif
	fi;
	atomic { /* ow_doze_leave() */
		STEP
		if
		:: !place[id] -> event = false; goto woken
		:: else -> place[id] = false
		fi;
		if
		:: event -> event = false; goto accept
		:: else
		fi
	};
sleep:
#endif
	atomic { /* epoll_wait() */
		STEP
		if
		:: ready[id] && bytes > 0 -> goto accept
		:: else -> ready[id] = false; asleep[id] = true
		fi
	};
	if
#if defined(LOOKS) || defined(DOZES)
	:: !asleep[id] -> goto sleep /* in the kernel */
#else
	:: !asleep[id] -> goto wait
#endif
#if LEAVES > 0
	:: atomic {
		gone < LEAVES && asleep[id] -> gone++; asleep[id] = false;
		goto dying
	   }
#endif
#if TICKS > 0
	:: atomic {
		ticks < TICKS && asleep[id] -> ticks++; asleep[id] = false;
		goto receive
	   }
#endif
#if DEATHS > 0
	:: atomic { deaths < DEATHS -> deaths++; goto dying }
#endif
	fi;
accept:	atomic { /* ow_fifo_take() */
		STEP
		if
		:: bytes > 0 -> bytes--
		:: else -> goto wait
		fi
	};
woken:
#ifdef STANDBYS
	atomic {
		STEP
		if
		:: word != 0 && (word & EMPTY) == 0 && ANOTHER_WORKS ->
			was = word
		:: true -> goto answer
		fi
	};
	atomic {
		STEP
		if
		:: word == was -> was = 0; word = RUNG | MORE | STANDBY;
			goto wait
		:: else -> was = 0
		fi
	};
answer:
#endif
	atomic { /* ow_bell_answer() */
		STEP
		more = (word & MORE) != 0;
#ifdef TWO_STEPS
	};
	atomic {
		STEP
#endif
		word = 0
	};
receive: atomic { /* mq_timedreceive() */
		STEP
		got = depth > 0;
		depth = depth - got;
#ifdef STANDBYS
		works[id] = works[id] || got;
		if
		:: !got -> goto was_empty
		:: else
		fi;
look:
#endif
		if
		:: !more -> goto serve
		:: else -> more = false
		fi
	};
#ifdef NO_LOOK_ON
	goto serve;
#endif
	atomic { /* ow_bell_look_on() */
		STEP
		if
		:: depth == 0 -> goto serve
		:: depth == 1 -> several = 0
		:: depth > 1 -> several = MORE
		fi;
#if defined(SEVERAL_LATER)
		later = several;
#endif
#if defined(NEVER_SEVERAL) || defined(SEVERAL_LATER)
		several = 0
#endif
	};
ringing:
	ring();
	atomic {
		several = 0;
#ifdef SEVERAL_LATER
		if
		:: later != 0 -> later = 0; goto ringing
		:: else
		fi
#endif
	};
	goto serve;
#ifdef STANDBYS
was_empty: atomic { /* ow_bell_was_empty() */
		STEP
		if
		:: (word & STANDBY) != 0 ->
#ifndef STAYS
			word = 0;
#ifndef NOT_TOLD
			more = true;
#endif
#ifndef ONCE
			goto receive
#endif
#else
			skip
#endif
		:: word != 0 && (word & STANDBY) == 0 ->
#ifndef NO_EMPTY
			word = word | EMPTY
#else
			skip
#endif
		:: word == 0
		fi;
		works[id] = false;
		goto look
	};
leave:	atomic { /* ow_bell_leaves() */
		STEP
		if
		:: (word & STANDBY) != 0 ->
#ifndef CUT
			goto receive
#else
			skip
#endif
		:: word != 0 && (word & STANDBY) == 0 ->
#ifndef NO_EMPTY
			word = word | EMPTY
#else
			skip
#endif
		:: word == 0
		fi;
		works[id] = false;
		goto wait
	};
#endif
serve:	atomic {
		STEP
		if
		:: !got -> goto wait
		:: got && held < HELD -> held++; goto done
		:: got -> got = false
		fi;
		if
		:: goto receive /* a run */
#ifdef STANDBYS
		:: goto leave
#else
		:: goto wait
#endif
		fi
	};
dying:	atomic {
		works[id] = false;
		asleep[id] = false;
		dozing[id] = false;
		member[id] = false
	};
done:	skip
}

/* A caller, or ndrxd, when nothing else helps. */
proctype nudger()
{
	byte i, who;

	do
	:: atomic {
		timeout && depth > 0 && A_SLEEPER ->
		assert(nudges < deaths);
		nudges++;
#ifdef NUDGE_FOR_ONE
		word = RUNG;
#else
		word = RUNG | MORE;
#endif
#ifdef DOZES
		take_place();
		if
		:: who < SERVERS -> rouse()
		:: else -> who = 0; write_byte()
		fi
#else
		write_byte()
#endif
	   }
	od
}

/* Callers who have waited long, while a server is on its way:
 * ow_bell_is_on_way(). */
proctype asker()
{
	do
	:: atomic {
		asks < ASKS && word != 0 ->
		asks++;
		word = word | MORE
	   }
	od
}

/* When no process can take a step, not even by a time-out. */
proctype judge()
{
	atomic {
		timeout && !(DEATHS > 0 && depth > 0 && A_SLEEPER) ->
		assert(!(depth > 0 && A_SLEEPER))
	}
}

init {
	byte i;

	atomic {
		depth = KEPT;
		word = (KEPT > 0 -> RUNG : 0);
		do
		:: i < SERVERS -> run server(i); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < SENDERS -> run sender(); i++
		:: else -> break
		od;
		if
		:: DEATHS > 0 -> run nudger()
		:: else
		fi;
		if
		:: ASKS > 0 -> run asker()
		:: else
		fi;
		run judge()
	}
}
