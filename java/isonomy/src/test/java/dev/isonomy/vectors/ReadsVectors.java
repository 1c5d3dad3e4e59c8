// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.vectors;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks the test class that runs every vector of an area. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ReadsVectors {
    /** The area: a folder of {@code spec/vectors}. */
    String value();
}
