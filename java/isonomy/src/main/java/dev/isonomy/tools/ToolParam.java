// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names and describes a parameter of a tool, or a component of a record that a tool takes.
 *
 * <p>A parameter is required unless it is an {@code Optional}, has a default, or says {@code
 * required = false}; then an absent one is the default, an empty {@code Optional}, or null (clause
 * 7.12).
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface ToolParam {

    /** The name in the schema; empty: the name in the source. */
    String name() default "";

    /** What the parameter means, for the model. */
    String description() default "";

    /**
     * The value of an absent parameter: for parameters whose JSON form is a string (text, dates,
     * enums, decimals...) that text itself, for others JSON ({@code 10}, {@code true}, {@code
     * [1,2]}).
     */
    String defaultValue() default NONE;

    /** Whether the parameter must be given. Meaningless beside a default. */
    boolean required() default true;

    /** No default: a text that nobody means. */
    String NONE = "\u0000";
}
