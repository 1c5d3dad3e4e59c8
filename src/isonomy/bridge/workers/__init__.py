# SPDX-License-Identifier: Apache-2.0
"""Tools in processes of their own: a host's side of spec/wire.md."""
