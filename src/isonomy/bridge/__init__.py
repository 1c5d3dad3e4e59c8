# SPDX-License-Identifier: Apache-2.0
"""Tools of another language: the envelope and the transports that carry it."""
