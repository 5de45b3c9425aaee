# SPDX-License-Identifier: Apache-2.0
"""python -m onewake: see cli.py"""
from onewake.cli import main

main()
