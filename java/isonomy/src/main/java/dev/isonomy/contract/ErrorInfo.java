// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.List;

/**
 * What an exception said (clause 4.12): the error of a {@link Raised} outcome, before anyone decided what it
 * means for a tool call. Immutable.
 *
 * @param type the exception class in its own language, never empty
 * @param message its message, never blank: it falls back to the type
 * @param causes the chain without the error itself, outermost first, at most 16
 * @param trace the formatted trace of the language of origin, or null; private to operators
 * @param language where it was made, see {@link Language}
 * @param members the first leaves of an exception group, at most 16; empty for any other exception
 * @param more how many leaves were left out
 */
public record ErrorInfo(
        String type,
        String message,
        List<Cause> causes,
        String trace,
        String language,
        List<Cause> members,
        int more) {

    /** How many causes, and how many members, an error keeps. */
    public static final int MAX_LINKS = 16;

    /** Checks type and language, cleans message and trace, and keeps the first 16 causes and members. */
    public ErrorInfo {
        Misuse.requiredText(type, "the type of an error");
        Misuse.requiredText(language, "the language of an error");
        type = ErrorText.wellFormed(type);
        message = ErrorText.clean(message, type);
        causes = firstLinks(causes);
        trace = trace == null ? null : ErrorText.wellFormed(trace);
        more = Math.max(0, more) + Math.max(0, members == null ? 0 : members.size() - MAX_LINKS);
        members = firstLinks(members);
    }

    /** An error that is no exception group. */
    public ErrorInfo(String type, String message, List<Cause> causes, String trace, String language) {
        this(type, message, causes, trace, language, List.of(), 0);
    }

    static List<Cause> firstLinks(List<Cause> links) {
        if (links == null) {
            return List.of();
        }
        return List.copyOf(links.size() > MAX_LINKS ? links.subList(0, MAX_LINKS) : links);
    }
}
