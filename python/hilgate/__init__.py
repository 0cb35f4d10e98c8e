# SPDX-License-Identifier: Apache-2.0
"""Drives gateways and labs of hilgate from Python. docs/how-to/python.md has examples.

Plain Python over the control socket (docs/reference/control.md) and the command hilgate; no other package is needed.
"""
from hilgate.control import Fault, GatewayError, Stream, runs
from hilgate.expectations import Expectation
from hilgate.gateway import Gateway
from hilgate.record import Record
from hilgate.run import Lab, Run
from hilgate.status import Condition, Link, Port, Robot, Status

__all__ = ["Condition", "Expectation", "Fault", "Gateway", "GatewayError", "Lab", "Link", "Port", "Record", "Robot",
           "Run", "Status", "Stream", "runs"]
