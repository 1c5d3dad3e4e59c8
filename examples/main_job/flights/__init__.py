# SPDX-License-Identifier: Apache-2.0
"""Python tools over the world's airports."""
