// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Whether a failed call may have done something (clause 4.7). */
public enum Effect {
    /** It is known that the body never ran. */
    NONE("none"),
    /** The body ran, or may have run. */
    POSSIBLE("possible");

    private final String wire;

    Effect(String wire) {
        this.wire = wire;
    }

    /** The effect as it stands in JSON. */
    public String wire() {
        return wire;
    }

    /** The effect with that name in JSON; anything unknown is {@link #POSSIBLE}, the careful reading. */
    public static Effect fromWire(String wire) {
        return NONE.wire.equals(wire) ? NONE : POSSIBLE;
    }
}
