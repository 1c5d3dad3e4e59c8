// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A reversible mapping of tool names to names of 1 to 64 of {@code A-Za-z0-9_-}, which is what model APIs take (clause
 * 14.18). A name that is one already stays. Another becomes what is left of it and a digest of the whole, so that it is
 * the same in every process. Events and metrics keep the tool's own name. Immutable.
 */
public final class ModelNames {

    private static final int MAX_LENGTH = 64;
    private static final int LEAST_DIGITS = 8;
    private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9_-]{1," + MAX_LENGTH + "}");
    private static final Pattern REFUSED = Pattern.compile("[^A-Za-z0-9_-]+");

    private final Map<String, String> models = new HashMap<>();
    private final Map<String, String> originals = new HashMap<>();

    private ModelNames() {}

    /** The mapping for the names of all tools of a host, each once. */
    public static ModelNames of(List<String> names) {
        ModelNames mapping = new ModelNames();
        names.stream().filter(name -> SAFE.matcher(name).matches()).forEach(name -> mapping.put(name, name));
        for (String name : names) {
            if (!mapping.models.containsKey(name)) {
                mapping.put(name, mapping.unused(name));
            }
        }
        return mapping;
    }

    /** The name that models see, or null for a name that was not given. */
    public String model(String name) {
        return models.get(name);
    }

    /** The tool's own name, or null for a name that is no tool's. */
    public String original(String model) {
        return originals.get(model);
    }

    private void put(String name, String model) {
        models.put(name, model);
        originals.put(model, name);
    }

    private String unused(String name) {
        String digest = digest(name);
        String rest = REFUSED.matcher(name).replaceAll("_");
        for (int digits = LEAST_DIGITS; digits < MAX_LENGTH; digits++) {
            String kept = rest.substring(0, Math.min(rest.length(), MAX_LENGTH - digits - 1));
            String model = kept + "-" + digest.substring(0, digits);
            if (!originals.containsKey(model)) {
                return model;
            }
        }
        throw new IllegalStateException("two tools share a digest");
    }

    private static String digest(String name) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(utf8(name)));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-256", missing);
        }
    }

    /** UTF-8, in which a lone surrogate is three bytes like its neighbours: two such names are not one. */
    private static byte[] utf8(String name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        name.codePoints().forEach(point -> {
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                out.write(0xE0 | point >> 12);
                out.write(0x80 | point >> 6 & 0x3F);
                out.write(0x80 | point & 0x3F);
            } else {
                out.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
            }
        });
        return out.toByteArray();
    }
}
