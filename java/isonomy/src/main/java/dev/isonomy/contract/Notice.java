// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * Something that the runtime counts and that is no step of a call (clause 9.4). It has no place in a batch and no wire
 * form.
 *
 * @param what what happened
 * @param tool the tool whose body it was, or null
 * @param sink the class of the sink that lost an event, or null
 */
public record Notice(What what, String tool, String sink) implements Event {

    /** What a notice tells. */
    public enum What {
        /** A body ended after its call had (clause 8.8). */
        LATE_RESULT,
        /** A sink threw or was full (clause 9.5). */
        DROPPED_EVENT
    }

    /** A body of a tool ended after its call had. */
    public static Notice lateResult(String tool) {
        return new Notice(What.LATE_RESULT, tool, null);
    }

    /** A sink did not take an event. */
    public static Notice droppedEvent(String sink) {
        return new Notice(What.DROPPED_EVENT, null, sink);
    }
}
