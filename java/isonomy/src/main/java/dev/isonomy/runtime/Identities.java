// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.SlotDigests;
import dev.isonomy.contract.SlotKey;
import dev.isonomy.tools.ArgumentsDigest;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.InjectedParameter;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Gives the slots of calls in durable batches (clause J1.2). Safe for use by several threads. */
final class Identities {

    /** What a tool contributes; looked up once. */
    private record Known(BoundTool tool, String version, String injected) {}

    private final Map<String, Object> injected;
    private final byte[] key;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /**
     * @param injected the host's values by name
     * @param key the key of digests over those that count, or null
     */
    Identities(Map<String, Object> injected, byte[] key) {
        this.injected = injected;
        this.key = key;
    }

    /**
     * The keys of calls by position; null for one that has no slot (clause 13.11).
     *
     * @throws Misuse injected values count and there is no key for their digest
     */
    SlotKey[] of(Slot[] slots) {
        SlotKey[] keys = new SlotKey[slots.length];
        for (Slot slot : slots) {
            Optional<String> arguments =
                    slot.tool == null ? Optional.empty() : ArgumentsDigest.of(slot.call.arguments());
            if (arguments.isPresent()) {
                Known tool = known(slot.tool);
                keys[slot.position] = new SlotKey(
                        slot.position, slot.call.tool(), tool.version, arguments.get(), tool.injected);
            }
        }
        return keys;
    }

    private Known known(BoundTool tool) {
        String name = tool.spec().name();
        Known found = known.get(name);
        if (found == null || found.tool != tool) {
            found = new Known(
                    tool, SlotDigests.version(tool.spec().version(), tool.spec().inputSchema()), counted(tool));
            known.put(name, found);
        }
        return found;
    }

    private String counted(BoundTool tool) {
        Map<String, Object> values = new TreeMap<>();
        boolean counts = false;
        for (InjectedParameter each : tool.spec().injected().values()) {
            counts |= each.identity();
            if (each.identity() && injected.containsKey(each.name())) {
                values.put(each.name(), injected.get(each.name()));
            }
        }
        if (counts && key == null) {
            throw new Misuse("tool \"" + tool.spec().name() + "\" has injected values that count for its identity;"
                    + " give the executor an identityKey");
        }
        return counts ? SlotDigests.injected(key, values) : null;
    }
}
