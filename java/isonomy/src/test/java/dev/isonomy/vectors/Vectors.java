// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.vectors;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** Reads {@code spec/vectors}: what no test reads fails. */
public final class Vectors {
    /** Reads the files themselves; the texts inside them go to the codec under test. */
    public static final ObjectMapper JSON = JsonMapper.builder(com.fasterxml.jackson.core.JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder().maxNumberLength(10_000).build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .build();

    private static final Path ROOT = Path.of("..", "..", "spec", "vectors");
    private static final String JAVA = "java";

    private Vectors() {}

    /** The areas: the folders. */
    public static Set<String> areas() {
        try (Stream<Path> folders = Files.list(ROOT)) {
            Set<String> areas = new HashSet<>();
            folders.filter(Files::isDirectory).forEach(folder -> areas.add(folder.getFileName().toString()));
            return areas;
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /**
     * A test for every case of an area that is meant for Java. The test fails where it leaves a field of its case
     * unread; cases for Python alone count as read.
     */
    public static Stream<DynamicTest> tests(String area, Consumer<Fields> test) {
        List<DynamicTest> tests = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (Path file : files(area)) {
            Fields whole = Fields.of(file.toString(), read(file));
            if (!whole.text("area").equals(area) || whole.text("about").isBlank()) {
                throw new AssertionError(file + " is not of the area " + area + " or tells not what it is about");
            }
            for (Object item : whole.list("cases")) {
                Fields vector = Fields.of(area + " " + ((Map<?, ?>) item).get("id"), item);
                if (!ids.add(vector.text("id"))) {
                    throw new AssertionError(vector.where() + " is there twice");
                }
                if (isForJava(vector)) {
                    tests.add(DynamicTest.dynamicTest(vector.text("id"), () -> run(vector, test)));
                }
            }
            whole.requireAllRead();
        }
        if (tests.isEmpty()) {
            throw new AssertionError("no vectors of the area " + area);
        }
        return tests.stream();
    }

    private static void run(Fields vector, Consumer<Fields> test) {
        if (!vector.text("clause").matches("[JW]?\\d+\\.\\d+")) {
            throw new AssertionError(vector.where() + " names no clause");
        }
        vector.json("note", null);
        test.accept(vector);
        vector.requireAllRead();
    }

    private static boolean isForJava(Fields vector) {
        List<?> only = (List<?>) vector.json("only", List.of(JAVA));
        if (only.size() != 1 || !Set.of(JAVA, "python").contains(only.get(0))) {
            throw new AssertionError(vector.where() + " names unknown languages: " + only);
        }
        return only.get(0).equals(JAVA);
    }

    private static List<Path> files(String area) {
        try (Stream<Path> files = Files.walk(ROOT.resolve(area))) {
            return files.filter(Files::isRegularFile).sorted().toList();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static Object read(Path file) {
        try {
            return JSON.readValue(file.toFile(), Object.class);
        } catch (IOException broken) {
            throw new AssertionError(file + " is no JSON", broken);
        }
    }

    /** JSON as text. */
    public static String text(Object json) {
        try {
            return JSON.writeValueAsString(json);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** JSON text as JSON. */
    public static Object json(byte[] text) {
        try {
            return JSON.readValue(text, Object.class);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
