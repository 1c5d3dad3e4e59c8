// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isonomy.vectors.ReadsVectors;
import dev.isonomy.vectors.Vectors;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every area of vectors has a test that runs it. */
final class AreasTest {
    @Test
    void everyAreaIsRead() throws IOException, URISyntaxException, ClassNotFoundException {
        Set<String> read = new HashSet<>();
        for (Class<?> test : testClasses()) {
            ReadsVectors reads = test.getAnnotation(ReadsVectors.class);
            if (reads != null) {
                read.add(reads.value());
            }
        }
        assertEquals(Vectors.areas(), read);
    }

    private static Set<Class<?>> testClasses() throws IOException, URISyntaxException, ClassNotFoundException {
        Path root = Path.of(ReadsVectors.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Set<Class<?>> classes = new HashSet<>();
        try (Stream<Path> files = Files.walk(root)) {
            List<String> names = files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.endsWith(".class"))
                    .map(name -> name.substring(0, name.length() - 6).replace(java.io.File.separatorChar, '.'))
                    .toList();
            for (String name : names) {
                classes.add(Class.forName(name, false, AreasTest.class.getClassLoader()));
            }
        }
        return classes;
    }
}
