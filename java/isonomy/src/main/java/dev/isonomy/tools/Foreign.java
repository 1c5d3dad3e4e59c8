// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.List;

/**
 * Where a host put something else than plain JSON into arguments (clause 7.2).
 *
 * @param steps the names and indexes that lead there
 */
record Foreign(List<Object> steps) {
    Foreign {
        steps = List.copyOf(steps);
    }
}
