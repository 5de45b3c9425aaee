# SPDX-License-Identifier: Apache-2.0
"""Onewake for Python: call services, and be a server that has some.

    import onewake
    print(onewake.call("HELLO", "world", timeout=2.5))

A value's type says what buffer it travels in: None no data, str a STRING,
bytes a CARRAY, dict UBF (field: value or list of values), JSON(value) a JSON
text, an instance of a class with @view a VIEW, Buffer itself. What comes back
is made the other way round; of UBF each field is a list.

State is per thread: a thread that calls is a context of its own.
"""
from onewake import _core
from onewake._core import Buffer, Request, call, priority, urcode, userlog
from onewake.errors import *  # noqa: F401,F403
from onewake.errors import ATMI_ERRORS, AtmiError, Error, UbfError
from onewake.values import JSON, View, view
from onewake.client import Call, acall, as_completed, cast, init, term
from onewake.conversations import Conversation, connect
from onewake.transactions import begun, close, open, suspended, transaction
from onewake.queues import Message, Queue, QueueEmpty
from onewake import queues as queue
from onewake.events import (broadcast, messages, notify, on_message, post,
                            subscribe)
from onewake.logs import TplogHandler
from onewake.server import (LATER, Fail, Forward, Reply, Server, advertise, run,
                            service, stop, unadvertise)

field_id, field_name = _core.field_id, _core.field_name
node_id, server_id = _core.node_id, _core.server_id
default_timeout = _core.default_timeout
__version__ = "0.1.0"

__all__ = [
    "Buffer", "Request", "call", "priority", "urcode", "userlog", "AtmiError",
    "Error", "UbfError", "JSON", "View", "view", "Call", "acall",
    "as_completed", "cast", "init", "term", "Conversation", "connect",
    "begun", "close", "open", "suspended", "transaction", "Message", "Queue",
    "QueueEmpty", "queue", "broadcast", "messages", "notify", "on_message",
    "post", "subscribe", "TplogHandler", "LATER", "Fail", "Forward", "Reply",
    "Server", "advertise", "run", "service", "stop", "unadvertise",
    "field_id", "field_name", "node_id", "server_id", "default_timeout",
    *(c.__name__ for c in ATMI_ERRORS.values()),
]
