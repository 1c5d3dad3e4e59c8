// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** What follows the words bearer and basic (clause 12.2 d). */
final class BearerSecrets {
    private static final int MIN_LENGTH = 6;

    private BearerSecrets() {}

    static boolean find(String text, int from, SecretRules.Part part) {
        for (int at = from; at < text.length(); at++) {
            int end = wordEnd(text, at);
            int start = end < 0 ? at : spaceEnd(text, end);
            int credentialEnd = end < 0 || start == end ? start : credentialEnd(text, start);
            if (credentialEnd - start >= MIN_LENGTH) {
                return part.set(start, credentialEnd);
            }
        }
        return false;
    }

    /** The end of one of the two words that begins there, or -1. */
    static int wordEnd(String text, int at) {
        if (SecretRules.lower(text.charAt(at)) != 'b' || !SecretRules.startsWord(text, at)) {
            return -1;
        }
        return isAt(text, at, "bearer") ? at + 6 : isAt(text, at, "basic") ? at + 5 : -1;
    }

    private static boolean isAt(String text, int at, String word) {
        if (text.length() - at < word.length()) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            if (SecretRules.lower(text.charAt(at + i)) != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static int spaceEnd(String text, int from) {
        int end = from;
        while (end < text.length() && SecretRules.isSpace(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static int credentialEnd(String text, int from) {
        int end = from;
        while (end < text.length()
                && (SecretRules.isAlphanumeric(text.charAt(end)) || "._~+/=-".indexOf(text.charAt(end)) >= 0)) {
            end++;
        }
        return end;
    }
}
