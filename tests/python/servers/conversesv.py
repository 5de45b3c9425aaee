# SPDX-License-Identifier: Apache-2.0
"""conversesv.py - services that converse"""
import time

import onewake


@onewake.service("COUNT")
def count(request, conversation):
    """Sends so many numbers, and returns their sum."""
    n = request.data["P_LONG"][0]
    for i in range(n):
        conversation.send({"P_LONG": i})
    return onewake.Reply({"P_LONG": n * (n - 1) // 2}, urcode=n)


@onewake.service("UPPER")
def upper(request, conversation):
    """Upper case of each message, in turns, until one is empty."""
    while True:
        for text in conversation:
            said = text
        if said == "":
            return "end"
        conversation.send(said.upper(), then_receive=True)


@onewake.service("COLLECT")
def collect(request, conversation):
    """All messages in one, when it has control."""
    return " ".join(conversation)


@onewake.service("GIVEUP")
def give_up(request, conversation):
    conversation.receive()
    raise onewake.Fail("enough", urcode=3)


@onewake.service("BREAK")
def breaks(request, conversation):
    raise RuntimeError("a fault in a conversation")


@onewake.service("THINK")
def think(request, conversation):
    time.sleep(0.4)
    return "thought"


left = []


@onewake.service("UNTILLEFT")
def until_left(request, conversation):
    try:
        while True:
            conversation.send("x")
    except onewake.TPEEVENT as e:
        left.append(str(e))
        raise


@onewake.service("SLOWLY")
def slowly(request, conversation):
    time.sleep(0.5)
    return "slept"


@onewake.service("LEFT")
def how_left(request):
    return onewake.JSON(left)
