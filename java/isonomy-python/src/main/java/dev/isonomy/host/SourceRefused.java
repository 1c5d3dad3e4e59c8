// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.host;

import dev.isonomy.contract.IsonomyException;

/** A source of tools cannot be used; which one it is belongs to whoever wrote the settings. */
final class SourceRefused extends IsonomyException {

    private static final long serialVersionUID = 1L;

    private final String section;
    private final long at;

    /** @param section the list of the settings that has it, at the index {@code at} */
    SourceRefused(String section, int at, IsonomyException refused) {
        super(refused.getMessage(), refused);
        this.section = section;
        this.at = at;
    }

    String section() {
        return section;
    }

    long at() {
        return at;
    }
}
