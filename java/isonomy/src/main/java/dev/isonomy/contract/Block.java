// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One block of content for the model (clause 2.6): a type and its other fields, kept as they are, in order. A block
 * of a type that this version does not know is kept whole. Immutable.
 *
 * @param type the type of the block, for example {@code text}
 * @param fields the other fields, plain JSON values ({@code null}, {@link Boolean}, numbers, {@link String},
 *     {@link List}, {@link Map})
 */
public record Block(String type, Map<String, Object> fields) {
    private static final String TEXT = "text";

    /** Checks the type and copies the fields. */
    public Block {
        Misuse.required(type, "the type of a block");
        fields = Copies.map(fields, "the fields of a block");
        if (fields.containsKey("type")) {
            throw new Misuse("the fields of a block hold \"type\"; give the type as the first argument");
        }
    }

    /** A block of text. */
    public static Block text(String text) {
        return new Block(TEXT, Collections.singletonMap(TEXT, Misuse.required(text, "the text of a block")));
    }

    /** An image with its media type, for example {@code image/png}. */
    public static Block image(byte[] data, String mimeType) {
        return media("image", data, mimeType);
    }

    /** A sound with its media type, for example {@code audio/wav}. */
    public static Block audio(byte[] data, String mimeType) {
        return media("audio", data, mimeType);
    }

    /** An embedded resource, in the form MCP gives it. */
    public static Block resource(Map<String, ?> resource) {
        return new Block("resource", Map.of("resource", Copies.map(resource, "a resource")));
    }

    /** A link to a resource. */
    public static Block link(String uri, String name) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("uri", Misuse.required(uri, "the uri of a link"));
        fields.put("name", Misuse.required(name, "the name of a link"));
        return new Block("resource_link", fields);
    }

    /** Whether this is a block of text whose text is one. */
    public boolean isText() {
        return type.equals(TEXT) && fields.get(TEXT) instanceof String;
    }

    /** The text of a block of text, else null. */
    String textOrNull() {
        return isText() ? (String) fields.get(TEXT) : null;
    }

    /** The same block with another text. */
    Block withText(String text) {
        Map<String, Object> changed = new LinkedHashMap<>(fields);
        changed.put(TEXT, text);
        return new Block(type, changed);
    }

    private static Block media(String type, byte[] data, String mimeType) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("data", Base64.getEncoder().encodeToString(Misuse.required(data, "the data of a block")));
        fields.put("mimeType", Misuse.required(mimeType, "the media type of a block"));
        return new Block(type, fields);
    }
}
