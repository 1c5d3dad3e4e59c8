// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.isonomy.vectors.ReadsVectors;
import dev.isonomy.vectors.Vectors;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every area of vectors has a test that runs it. */
final class AreasTest {
    /** Areas of layers above the contract. */
    private static final Set<String> NOT_YET = Set.of("arguments", "events");

    @Test
    void everyAreaIsRead() {
        Set<String> read = new HashSet<>(NOT_YET);
        for (JavaClass test : new ClassFileImporter().importPackages("dev.isonomy")) {
            if (test.isAnnotatedWith(ReadsVectors.class)) {
                read.add(test.getAnnotationOfType(ReadsVectors.class).value());
            }
        }
        assertEquals(Vectors.areas(), read);
    }
}
