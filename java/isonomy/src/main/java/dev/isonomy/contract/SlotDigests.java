// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The digests by which slots of durable batches are told apart (clause J1). Safe for use by several threads. */
public final class SlotDigests {

    private static final String HMAC = "HmacSHA256";
    private static final Set<String> WORDS = Set.of("title", "description", "examples", "$comment", "deprecated");
    private static final Set<String> ONE = Set.of(
            "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
            "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties");
    private static final Set<String> LIST = Set.of("allOf", "anyOf", "items", "oneOf", "prefixItems");
    private static final Set<String> NAMED =
            Set.of("$defs", "definitions", "dependentSchemas", "patternProperties", "properties");

    private SlotDigests() {}

    /**
     * The version of a tool (clause J1.3).
     *
     * @param version the author's, or null
     * @param schema the input schema, which stands for the version where the author gave none
     */
    public static String version(String version, Map<String, ?> schema) {
        return version == null ? "s:" + Canonical.digest(bare(schema)) : "v:" + version;
    }

    /**
     * The digest of the injected values that count (clause J1.5).
     *
     * @param key the host's identity key, not empty
     * @param values the values by their host names
     * @throws PortableException where an integer among the values is too long (clause 5.8)
     */
    public static String injected(byte[] key, Map<String, ?> values) {
        try {
            Mac hmac = Mac.getInstance(HMAC);
            hmac.init(new SecretKeySpec(key, HMAC));
            return HexFormat.of().formatHex(hmac.doFinal(Canonical.encode(values)));
        } catch (NoSuchAlgorithmException | InvalidKeyException missing) {
            throw new IllegalStateException("every Java platform has " + HMAC + ", for any key", missing);
        }
    }

    /** A schema without the words in it that say nothing of what it accepts. */
    private static Object bare(Object schema) {
        if (!(schema instanceof Map<?, ?> members)) {
            return schema;
        }
        Map<Object, Object> kept = new LinkedHashMap<>();
        members.forEach((name, part) -> {
            if (!WORDS.contains(name)) {
                kept.put(name, part(name, part));
            }
        });
        return kept;
    }

    private static Object part(Object name, Object part) {
        if (part instanceof Map<?, ?> && ONE.contains(name)) {
            return bare(part);
        }
        if (part instanceof List<?> schemas && LIST.contains(name)) {
            return schemas.stream().map(SlotDigests::bare).toList();
        }
        if (part instanceof Map<?, ?> schemas && NAMED.contains(name)) {
            Map<Object, Object> kept = new LinkedHashMap<>();
            schemas.forEach((each, schema) -> kept.put(each, bare(schema)));
            return kept;
        }
        return part;
    }
}
