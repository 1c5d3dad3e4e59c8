# SPDX-License-Identifier: Apache-2.0
"""The live matrix: the same calls in every host, language and order, against the vectors."""
