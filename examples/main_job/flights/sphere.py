# SPDX-License-Identifier: Apache-2.0
"""Distances on a sphere with the earth's mean radius."""

from math import asin, cos, radians, sin, sqrt

EARTH_KM = 6371.0088


def distance_km(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """Return the great-circle distance of two places, given in degrees (haversine formula)."""
    north, other_north = radians(lat), radians(other_lat)
    half_north = (other_north - north) / 2
    half_east = radians(other_lon - lon) / 2
    chord = sin(half_north) ** 2 + cos(north) * cos(other_north) * sin(half_east) ** 2
    return 2 * EARTH_KM * asin(min(1.0, sqrt(chord)))
