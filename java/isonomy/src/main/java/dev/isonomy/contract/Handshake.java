// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a worker and its host say before the first call (W3 of spec/wire.md). */
public final class Handshake {

    /** The versions of the wire that this library speaks. */
    public static final List<Long> VERSIONS = List.of(1L);

    private Handshake() {}

    /** How a worker begins (W3.1): what it speaks, what it is written in, its library's version, its process. */
    public record Hello(List<? extends Number> wire, String language, String isonomy, long pid) {
        /** Copies the versions. */
        public Hello {
            wire = List.copyOf(wire);
        }
    }

    /** What a host answers (W3.2). */
    public sealed interface Answer permits Welcome, Refused {}

    /** The version of the wire, the limit of frames, what to load, and for Python from where. */
    public record Welcome(long wire, long maxFrame, List<String> tools, List<String> path) implements Answer {
        /** Copies the lists. */
        public Welcome {
            tools = List.copyOf(tools);
            path = List.copyOf(path);
        }
    }

    /** What a host says to a worker that it cannot talk to, before it closes. */
    public record Refused(String message) implements Answer {}

    /** What a worker says that could not load its tools (W3.3); the trace may be null. */
    public record Failed(String message, String trace) {}

    // Hello ---------------------------------------------------------------------------------------

    /** The frame of a hello. */
    public static Frame frame(Hello hello) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("wire", hello.wire());
        fields.put("language", hello.language());
        fields.put("isonomy", hello.isonomy());
        fields.put("pid", hello.pid());
        return new Frame(FrameType.HELLO, Portable.encode(fields));
    }

    /** Reads a hello; a {@link BrokenWireException} for what is none (W2.6). */
    public static Hello readHello(byte[] payload) {
        Map<String, Object> told = fields(payload, "hello");
        if (!(told.get("wire") instanceof List<?> wire)) {
            throw new BrokenWireException("a hello without the list of its versions");
        }
        List<Number> versions = new ArrayList<>();
        for (Object version : wire) {
            if (!(version instanceof Number number) || version instanceof Double) {
                throw new BrokenWireException("a hello without the list of its versions");
            }
            versions.add(number);
        }
        return new Hello(
                versions, text(told, "language"), text(told, "isonomy"), told.get("pid") instanceof Long pid ? pid : 0);
    }

    /** What a host answers to a hello: the highest version that both sides speak, or why there is none (W3.2). */
    public static Answer answer(Hello hello, long maxFrame, List<String> tools, List<String> path) {
        return VERSIONS.stream()
                .filter(hello.wire()::contains)
                .max(Long::compare)
                .<Answer>map(wire -> new Welcome(wire, maxFrame, tools, path))
                .orElseGet(() -> new Refused("the worker speaks wire versions " + hello.wire() + ", this host "
                        + VERSIONS + "; install the same version of Isonomy on both sides"));
    }

    // The host's answer ---------------------------------------------------------------------------

    /** The frame of a host's answer. */
    public static Frame frame(Answer answer) {
        if (answer instanceof Refused refused) {
            return new Frame(FrameType.REFUSED, Portable.encode(Map.of("message", refused.message())));
        }
        Welcome welcome = (Welcome) answer;
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("wire", welcome.wire());
        fields.put("max_frame", welcome.maxFrame());
        fields.put("tools", welcome.tools());
        fields.put("path", welcome.path());
        return new Frame(FrameType.WELCOME, Portable.encode(fields));
    }

    /** Reads a host's answer; a {@link BrokenWireException} for what is none. */
    public static Answer readAnswer(Frame frame) {
        if (frame.type() == FrameType.REFUSED) {
            return new Refused(text(fields(frame.payload(), "refused"), "message"));
        }
        if (frame.type() != FrameType.WELCOME) {
            throw new BrokenWireException("a frame of type " + frame.type() + " where the host's answer is due");
        }
        Map<String, Object> told = fields(frame.payload(), "welcome");
        if (!(told.get("wire") instanceof Long wire) || !VERSIONS.contains(wire)
                || !(told.get("max_frame") instanceof Long limit) || limit < Frame.LEAST_LIMIT) {
            throw new BrokenWireException("a welcome without its version or its limit");
        }
        return new Welcome(wire, limit, texts(told, "tools"), texts(told, "path"));
    }

    // What a worker loaded ------------------------------------------------------------------------

    /** The frame of a worker that is ready, from the description of its tools as JSON (W3.4). */
    public static Frame ready(byte[] tools) {
        byte[] before = "{\"tools\":".getBytes(UTF_8);
        byte[] payload = new byte[before.length + tools.length + 1];
        System.arraycopy(before, 0, payload, 0, before.length);
        System.arraycopy(tools, 0, payload, before.length, tools.length);
        payload[payload.length - 1] = '}';
        return new Frame(FrameType.READY, payload);
    }

    /** Reads the descriptions of a worker's tools, each an object of plain JSON (W3.4). */
    public static List<Map<String, Object>> readReady(byte[] payload) {
        if (!(fields(payload, "ready").get("tools") instanceof List<?> tools)) {
            throw new BrokenWireException("a ready without the list of its tools");
        }
        List<Map<String, Object>> descriptions = new ArrayList<>();
        for (Object tool : tools) {
            descriptions.add(object(tool, "description of a tool"));
        }
        return descriptions;
    }

    /** The frame of a worker that could not load its tools. */
    public static Frame frame(Failed failed) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("message", failed.message());
        if (failed.trace() != null) {
            fields.put("trace", failed.trace());
        }
        return new Frame(FrameType.FAILED, Portable.encode(fields));
    }

    /** Reads why a worker could not load its tools. */
    public static Failed readFailed(byte[] payload) {
        Map<String, Object> told = fields(payload, "failed");
        return new Failed(text(told, "message"), told.get("trace") instanceof String trace ? trace : null);
    }

    // Fields --------------------------------------------------------------------------------------

    /** Reads the JSON object of a frame; a {@link BrokenWireException} for what is none. */
    static Map<String, Object> fields(byte[] payload, String what) {
        Object plain;
        try {
            plain = JsonReader.plain(payload);
        } catch (PortableException malformed) {
            throw new BrokenWireException("a " + what + " that cannot be read: " + malformed.getMessage());
        }
        return object(plain, what);
    }

    @SuppressWarnings("unchecked") // the keys of plain JSON are strings
    private static Map<String, Object> object(Object plain, String what) {
        if (!(plain instanceof Map)) {
            throw new BrokenWireException("a " + what + " that is no object");
        }
        return (Map<String, Object>) plain;
    }

    /** A field that must be a text. */
    static String text(Map<String, Object> told, String name) {
        if (told.get(name) instanceof String text) {
            return text;
        }
        throw new BrokenWireException("the field " + name + " is not a text");
    }

    private static List<String> texts(Map<String, Object> told, String name) {
        if (!(told.getOrDefault(name, List.of()) instanceof List<?> list)) {
            throw new BrokenWireException("the field " + name + " is not a list of texts");
        }
        List<String> texts = new ArrayList<>();
        for (Object item : list) {
            if (!(item instanceof String text)) {
                throw new BrokenWireException("the field " + name + " is not a list of texts");
            }
            texts.add(text);
        }
        return texts;
    }
}
