// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** What bytes of JSON have to be before they are read. */
final class Utf8 {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final long HIGH_BITS = 0x8080808080808080L;

    private Utf8() {}

    /** Refuses text that is not well-formed UTF-8; Jackson would guess UTF-16 and pass over-long forms. */
    static void require(byte[] json) {
        for (int i = 0; i < Math.min(4, json.length); i++) {
            if (json[i] == 0) {
                throw PortableException.malformed("JSON that is not UTF-8");
            }
        }
        if (!isAscii(json)) {
            try {
                StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json));
            } catch (CharacterCodingException malformed) {
                throw PortableException.malformed("JSON that is not UTF-8");
            }
        }
    }

    private static boolean isAscii(byte[] bytes) {
        int i = 0;
        for (; i + Long.BYTES <= bytes.length; i += Long.BYTES) {
            if (((long) LONGS.get(bytes, i) & HIGH_BITS) != 0) {
                return false;
            }
        }
        for (; i < bytes.length; i++) {
            if (bytes[i] < 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether somewhere a surrogate may be escaped. */
    static boolean hasSurrogateEscape(byte[] json) {
        for (int i = 0; i + 2 < json.length; i++) {
            if (json[i] == '\\' && json[i + 1] == 'u' && (json[i + 2] | 0x20) == 'd') {
                return true;
            }
        }
        return false;
    }
}
