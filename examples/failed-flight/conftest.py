# SPDX-License-Identifier: Apache-2.0
pytest_plugins = ["hilgate.pytest_plugin"]
