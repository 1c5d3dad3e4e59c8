# SPDX-License-Identifier: Apache-2.0
"""The values every layer shares: response, error, outcome, call, events, portable codec."""
