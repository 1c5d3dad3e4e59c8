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
    @Test
    void everyAreaIsRead() {
        Set<String> read = new HashSet<>();
        for (JavaClass test : new ClassFileImporter().importPackages("dev.isonomy")) {
            if (test.isAnnotatedWith(ReadsVectors.class)) {
                read.add(test.getAnnotationOfType(ReadsVectors.class).value());
            }
        }
        assertEquals(Vectors.areas(), read);
    }
}
