// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;

/** Compiles classes of tools into a folder of their own, outside the class path of the tests. */
public final class Compiled {
    private Compiled() {}

    /** @param options further options of the compiler, such as {@code -parameters} */
    public static Path classes(Path folder, String name, String source, String... options) throws IOException {
        Path file = folder.resolve("source").resolve(name.replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, source);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")));
        arguments.addAll(List.of(options));
        arguments.add(file.toString());
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)));
        return classes;
    }
}
