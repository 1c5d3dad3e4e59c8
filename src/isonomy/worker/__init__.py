# SPDX-License-Identifier: Apache-2.0
"""The worker: a process that holds tools for a host in another process (spec/wire.md)."""
