/* SPDX-License-Identifier: Apache-2.0 */
/*
 * room.pml - senders that wait for room in a full queue
 *
 * ow_shmq_wait_room() and wake_senders() of shm/exchange.c, on a processor that
 * lets loads pass earlier stores: each process has a store buffer for the word
 * by which the other side decides, and process `memory` writes it back at any
 * later time. A fence waits until the own buffer is empty. Nobody dies, no
 * sleep times out: no sender may sleep for ever beside a queue with room.
 */
#ifndef SENDERS
#define SENDERS 2
#endif
#define TAKERS	2
#define LIMIT	4
#define ENOUGH	3 /* LIMIT less a quarter: then senders are woken */

byte depth = LIMIT;
byte room; /* the futex word: counts wake-ups */
bool want_room;
bool want_buffered[SENDERS], head_buffered[TAKERS];
byte sleeping;

proctype memory()
{
	do
	:: atomic { want_buffered[0] ->
		want_buffered[0] = false; want_room = true }
	:: atomic { want_buffered[SENDERS - 1] ->
		want_buffered[SENDERS - 1] = false; want_room = true }
	:: atomic { head_buffered[0] -> head_buffered[0] = false; depth-- }
	:: atomic { head_buffered[1] -> head_buffered[1] = false; depth-- }
	od
}

proctype sender(byte id)
{
	byte seen;

again:	atomic { /* ow_shmq_put() */
		if
		:: depth < LIMIT -> depth++; goto done
		:: else
		fi
	};
	seen = room;
	want_buffered[id] = true;
#ifndef NO_SENDER_FENCE
	!want_buffered[id];
#endif
	if
	:: depth < LIMIT -> goto again
	:: else
	fi;
	!want_buffered[id]; /* the kernel has fences of its own */
	atomic {
		if
		:: room != seen -> goto again
		:: else -> sleeping++
		fi
	};
	atomic { room != seen -> sleeping--; goto again };
done:	skip
}

proctype taker(byte id)
{
	/* ow_shmq_take(): the head moves */
	head_buffered[id] = true;
#ifndef NO_TAKER_FENCE
	!head_buffered[id];
#endif
	if
	:: !want_room -> goto done
	:: else
	fi;
	!head_buffered[id]; /* wake_senders() */
	if
	:: depth > ENOUGH -> goto done
	:: else
	fi;
	atomic {
		if
		:: !want_room -> goto done
		:: else -> want_room = false
		fi
	};
	room++;
done:	skip
}

/* When no process can take a step. */
proctype judge()
{
	atomic {
		timeout ->
		assert(sleeping == 0 || depth > ENOUGH)
	}
}

init {
	byte i;

	atomic {
		run memory();
		do
		:: i < SENDERS -> run sender(i); i++
		:: else -> break
		od;
		run taker(0);
		run taker(1);
		run judge()
	}
}
