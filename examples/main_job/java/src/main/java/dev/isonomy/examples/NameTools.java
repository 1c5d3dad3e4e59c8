// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.examples;

import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolParam;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.apache.commons.text.similarity.JaroWinklerSimilarity;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Tools for names that were typed wrong, on Apache Commons Text (Apache-2.0). */
public final class NameTools {

    private static final double ALIKE = 0.8;
    private static final JaroWinklerSimilarity LIKENESS = new JaroWinklerSimilarity();

    /** A name and how like the one asked for it is, from 0 to 1. */
    public record Match(String name, double likeness) {}

    private NameTools() {}

    /** Picks the name that is most like another; fails where none is, throws where there is none. */
    @Tool(name = "closest_name", description = "Pick the candidate that is most like a name.")
    public static ToolResponse closest(
            String name, @ToolParam(description = "the names to pick from") List<String> candidates) {
        List<Match> matches = candidates.stream()
                .map(candidate -> new Match(candidate, LIKENESS.apply(name, candidate)))
                .toList();
        Match best = Collections.max(matches, Comparator.comparingDouble(Match::likeness));
        if (best.likeness() < ALIKE) {
            return ToolResponse.failure("no candidate is like the name")
                    .code("NO_MATCH")
                    .details(best)
                    .build();
        }
        return ToolResponse.success(best);
    }

    /** Counts the letters to change; -1 where there are more than the limit. */
    @Tool(name = "edit_distance", description = "Count the letters to change from one name to another.")
    public static int editDistance(
            String left,
            String right,
            @ToolParam(description = "stop counting here", required = false) Integer limit) {
        return (limit == null ? LevenshteinDistance.getDefaultInstance() : new LevenshteinDistance(limit))
                .apply(left, right);
    }
}
