// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a public method, static or of an instance, a tool. Calling the method directly is not
 * changed by this: it returns and throws as before.
 *
 * <p>The input schema is derived from the parameters (clause 7.3), whose names come from {@link
 * ToolParam} or from the compiler's {@code -parameters} option.
 *
 * <pre>{@code
 * @Tool(description = "Add two integers.")
 * public static long add(long a, long b) {
 *     return Math.addExact(a, b);
 * }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Tool {

    /** The name that calls use; empty: the name of the method. */
    String name() default "";

    /** What the tool does, for the model. */
    String description() default "";

    /** The author's version, part of a durable slot's identity; empty: none. */
    String version() default "";

    /** How many calls of this tool may run at once (clause 8.7); 0: no limit of its own. */
    int maxParallel() default 0;

    /** How long one call may take, in milliseconds (clause 8.8); 0: no deadline of its own. */
    long deadlineMs() default 0;

    /** Whether arguments the schema does not name are allowed and dropped, not refused. */
    boolean allowUnknown() default false;
}
