// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import java.util.Locale;

/**
 * A parameter that the host fills in (clause 7.13).
 *
 * @param name the host's name for the value, not empty
 * @param identity whether the value belongs to a durable slot's identity
 * @param secret whether the value's texts are replaced in failures (clause 12.5)
 */
public record InjectedParameter(String name, boolean identity, boolean secret) {

    /** Refuses an empty name. */
    public InjectedParameter {
        if (name == null || name.isEmpty()) {
            throw new Misuse("an injected parameter has no name; give it one in @Injected(name)");
        }
    }

    /** A parameter whose value is a secret. */
    public InjectedParameter(String name, boolean identity) {
        this(name, identity, true);
    }

    /** The form in which a sent name is compared with injected ones: {@code Tenant-Id} is {@code tenantid}. */
    static String folded(String name) {
        return name.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
    }
}
