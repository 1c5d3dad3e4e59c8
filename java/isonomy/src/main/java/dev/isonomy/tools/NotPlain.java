// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

/** Thrown where arguments are no plain JSON: their text is broken, or a host put something else in (clauses 7.1, 7.2). */
final class NotPlain extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Violation violation;

    NotPlain(Violation violation) {
        super(null, null, false, false);
        this.violation = violation;
    }

    /** Too many containers inside each other; of the whole, since nothing more is known (clause 7.1). */
    static NotPlain tooDeep() {
        return new NotPlain(new Violation(ArgumentPath.ROOT, "depth", "is nested too deep"));
    }

    /** What is wrong; faults of parsing are reported alone. */
    Violation violation() {
        return violation;
    }
}
