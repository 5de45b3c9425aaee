#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""echo.py - the server of bench/run bindings in Python: ECHO returns its data"""
import onewake


@onewake.service("ECHO")
def echo(request):
    return request.data


onewake.run()
