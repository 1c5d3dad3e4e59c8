// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter whose value comes from the host. It is left out of the schema, its value enters
 * no event, journal or message, and one that a model sends is refused (clause 7.13).
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Injected {

    /** The host's name for the value; empty: the name of the parameter. */
    String name() default "";

    /**
     * Whether the value belongs to the identity of a durable slot (clause J1.5): true for a tenant,
     * false for a credential.
     */
    boolean identity() default false;

    /**
     * Whether the value is a secret, whose texts failures do not show (clause 12.5): true unless set. False for a tenant,
     * a region, a user's name: words that a message may well hold. A value is secret where any parameter that takes it
     * says so.
     */
    boolean secret() default true;
}
