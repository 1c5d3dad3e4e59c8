// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.List;
import java.util.Locale;

/** The name that was probably meant by one that is not there. */
final class MeantName {

    private MeantName() {}

    /** The first of the closest names, or null where none is within a third of the letters, case apart. */
    static String among(List<String> known, String written) {
        String closest = null;
        int least = Math.max(1, written.length() / 3) + 1;
        for (String name : known) {
            int apart = apart(name.toLowerCase(Locale.ROOT), written.toLowerCase(Locale.ROOT));
            if (apart < least) {
                least = apart;
                closest = name;
            }
        }
        return closest;
    }

    /** How many letters are to be put in, taken out or exchanged. */
    private static int apart(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int exchanged = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(exchanged, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }
}
