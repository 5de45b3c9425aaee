# SPDX-License-Identifier: Apache-2.0
"""logs.py - the logging of Python into the log of the process (tplog)

    logging.getLogger().addHandler(onewake.TplogHandler())

The lines are those of the facility TP, at the same place as those of C; in a
service they carry the trace of its request.
"""
import logging
import os

from onewake import _core

ERROR, WARN, INFO, DEBUG, DUMP = 2, 3, 4, 5, 6


def _level(number):
    if number >= logging.ERROR:
        return ERROR
    if number >= logging.WARNING:
        return WARN
    if number >= logging.INFO:
        return INFO
    return DEBUG if number >= logging.DEBUG else DUMP


class TplogHandler(logging.Handler):
    """A logging.Handler. What the level of the log leaves out is not
    formatted."""

    def emit(self, record):
        try:
            level = _level(record.levelno)
            if level > _core.log_level():
                return
            for line in self.format(record).split("\n"):
                _core.log(level, line, os.path.basename(record.pathname),
                          record.lineno)
        except Exception:  # noqa: BLE001: logging never fails a program
            self.handleError(record)
