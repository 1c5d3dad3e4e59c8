// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Canonical;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Returned;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What tells the arguments of one call from those of another (clause 7.14). Safe for use by several threads. */
public final class ArgumentsDigest {

    private ArgumentsDigest() {}

    /**
     * The digest of arguments as they were sent, before a tool adjusts them.
     *
     * @param sent a map, JSON text, or null (clause 7.1)
     * @return nothing where they are refused whatever the tool is (clauses 7.1 and 7.2), or cannot be read
     */
    public static Optional<String> of(Object sent) {
        List<Foreign> foreign = new ArrayList<>(0);
        // The host's own collections may throw anything while they are read; the call then says so.
        Outcome read =
                Boundary.run(() -> Canonical.digest(Arguments.plain(sent, foreign)), Boundary.NOTHING_PASSES);
        return foreign.isEmpty() && read instanceof Returned returned
                ? Optional.of((String) returned.value())
                : Optional.empty();
    }
}
