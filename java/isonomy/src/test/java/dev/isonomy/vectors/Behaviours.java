// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.vectors;

import dev.isonomy.contract.Block;
import dev.isonomy.contract.FailureBuilder;
import dev.isonomy.contract.ToolFailed;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.contract.Wire;
import java.math.BigInteger;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Does what the tools of vectors do. */
public final class Behaviours {
    private Behaviours() {}

    /** What a tool with that behaviour returns or throws. */
    public static Object run(Fields tool) throws Throwable {
        return switch (tool.text("do")) {
            case "return" -> {
                tool.json("declares", null); // a declared type decides nothing (clause 3.3)
                yield Making.value(tool.json("value"));
            }
            case "nothing" -> null;
            case "success" -> ToolResponse.success(
                    Making.value(tool.json("result")), blocks(tool), meta(tool));
            case "error" -> failure(tool).build();
            case "raise" -> throw Throwing.exception(tool);
            case "raise_failed" -> throw Throwing.wrapped(
                    tool.has("error") ? new ToolFailed(failureOf(tool.json("error"))) : failure(tool).exception(), tool);
            case "return_failed" -> failure(tool).exception();
            case "unfinished" -> failure(tool);
            case "fail_with" -> new ToolFailure(failureOf(tool.json("error")).error());
            case "foreign" -> foreign(Vectors.text(tool.json("of")));
            case "sleep" -> {
                Thread.sleep((long) (((Number) tool.json("seconds")).doubleValue() * 1000));
                yield run(tool.object("then"));
            }
            case "async" -> async(tool.object("then"));
            default -> throw new AssertionError(tool.where() + " does something unknown");
        };
    }

    private static CompletableFuture<Object> async(Fields then) {
        CompletableFuture<Object> stage = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                stage.complete(run(then));
            } catch (Throwable thrown) {
                stage.completeExceptionally(thrown);
            }
        });
        thread.start();
        return stage;
    }

    /** The failure that holds the very error that a vector gives. */
    static ToolFailure failureOf(Object error) {
        String json = Vectors.text(Map.of("status", "failure", "error", error));
        return (ToolFailure) Wire.decodeResponse(json.getBytes(StandardCharsets.UTF_8));
    }

    /** The factory with the arguments of a vector; a null argument is one that is not given. */
    public static FailureBuilder failure(Fields arguments) {
        FailureBuilder builder = ToolResponse.failure((String) Making.value(arguments.json("message")));
        Object code = Making.value(arguments.json("code", null));
        if (code instanceof Integer number) {
            builder.code(number);
        } else if (code instanceof BigInteger number) {
            builder.code(number);
        } else {
            builder.code((String) code);
        }
        if (arguments.json("retryable", null) instanceof Boolean retryable) {
            builder.retryable(retryable);
        }
        if (arguments.json("retry_after_ms", null) instanceof Number milliseconds) {
            builder.retryAfterMs(milliseconds.longValue());
        }
        return builder
                .details(Making.value(arguments.json("details", null)))
                .content(blocks(arguments))
                .meta(meta(arguments));
    }

    private static List<Block> blocks(Fields arguments) {
        List<Block> blocks = new ArrayList<>();
        for (Object item : (List<?>) arguments.json("content", List.of())) {
            Map<String, Object> fields = new java.util.LinkedHashMap<>();
            ((Map<?, ?>) item).forEach((name, value) -> fields.put((String) name, Making.value(value)));
            blocks.add(new Block((String) fields.remove("type"), fields));
        }
        return blocks;
    }

    @SuppressWarnings("unchecked") // the keys of JSON objects are strings
    private static Map<String, Object> meta(Fields arguments) {
        return (Map<String, Object>) Making.value(arguments.json("meta", Map.of()));
    }

    /** A response whose class comes from another class loader. */
    private static Object foreign(String response) throws ReflectiveOperationException, MalformedURLException {
        List<URL> path = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
            path.add(Path.of(entry).toUri().toURL());
        }
        ClassLoader other = new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        return Class.forName(Wire.class.getName(), true, other)
                .getMethod("decodeResponse", byte[].class)
                .invoke(null, (Object) response.getBytes(StandardCharsets.UTF_8));
    }
}
