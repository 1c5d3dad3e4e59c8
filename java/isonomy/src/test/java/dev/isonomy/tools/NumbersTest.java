// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ToolError;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Numbers at the edges of their types: exact, or refused by name; never narrowed, wrapped or rounded (clause 7.4). */
final class NumbersTest {

    public static final class Tools {
        @Tool
        public static Object ofByte(byte n) {
            return n;
        }

        @Tool
        public static Object ofShort(Short n) {
            return n;
        }

        @Tool
        public static Object ofInt(int n) {
            return n;
        }

        @Tool
        public static Object ofLong(long n) {
            return n;
        }

        @Tool
        public static Object ofFloat(float n) {
            return n;
        }

        @Tool
        public static Object ofDouble(double n) {
            return n;
        }

        @Tool
        public static Object ofBigInteger(BigInteger n) {
            return n;
        }

        @Tool
        public static Object ofBigDecimal(BigDecimal n) {
            return n;
        }
    }

    private static final ToolRegistry TOOLS = ToolRegistry.of(Tools.class);

    static Stream<Arguments> taken() {
        return Stream.of(
                Arguments.of("ofByte", "-128", Byte.MIN_VALUE),
                Arguments.of("ofByte", "127.0", Byte.MAX_VALUE),
                Arguments.of("ofShort", "-32768", Short.MIN_VALUE),
                Arguments.of("ofInt", "2147483647", Integer.MAX_VALUE),
                Arguments.of("ofInt", "-2147483648", Integer.MIN_VALUE),
                Arguments.of("ofInt", "-0.0", 0),
                Arguments.of("ofLong", "9007199254740993", 9007199254740993L),
                Arguments.of("ofLong", "9223372036854775807", Long.MAX_VALUE),
                Arguments.of("ofLong", "-9223372036854775808", Long.MIN_VALUE),
                Arguments.of("ofLong", "-9.223372036854775808e18", Long.MIN_VALUE),
                Arguments.of("ofFloat", "-6.0", -6.0f),
                Arguments.of("ofFloat", "0.1", 0.1f),
                Arguments.of("ofFloat", "3.4028234663852886e38", Float.MAX_VALUE),
                Arguments.of("ofFloat", "-3.4028234663852886e38", -Float.MAX_VALUE),
                Arguments.of("ofFloat", "1.401298464324817e-45", Float.MIN_VALUE),
                Arguments.of("ofFloat", "-0.0", -0.0f),
                Arguments.of("ofFloat", "16777216", 16777216f),
                Arguments.of("ofDouble", "1.7976931348623157e308", Double.MAX_VALUE),
                Arguments.of("ofDouble", "5e-324", Double.MIN_VALUE),
                Arguments.of("ofDouble", "-0.0", -0.0),
                Arguments.of("ofDouble", "9007199254740992", 9007199254740992.0),
                Arguments.of("ofDouble", "-9223372036854775808", -0x1p63),
                Arguments.of("ofDouble", "18446744073709551616", 0x1p64),
                Arguments.of("ofBigInteger", "1e30", new BigInteger("1000000000000000019884624838656")),
                Arguments.of("ofBigInteger", "9223372036854775808", new BigInteger("9223372036854775808")),
                Arguments.of("ofBigDecimal", "0.1", new BigDecimal("0.1")),
                Arguments.of("ofBigDecimal", "\"1.10\"", new BigDecimal("1.10")),
                Arguments.of("ofBigDecimal", "\"-1E+3\"", new BigDecimal("-1E+3")));
    }

    @ParameterizedTest
    @MethodSource
    void taken(String tool, String number, Object expected) {
        assertEquals(expected, Invoking.value(TOOLS.get(tool), "{\"n\":" + number + "}"));
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of("ofByte", "128", "must be <= 127"),
                Arguments.of("ofShort", "-32769", "must be >= -32768"),
                Arguments.of("ofInt", "2147483648", "must be <= 2147483647"),
                Arguments.of("ofInt", "1.5", "expected integer"),
                Arguments.of("ofInt", "\"1\"", "expected integer"),
                Arguments.of("ofInt", "true", "expected integer"),
                Arguments.of("ofLong", "1e30", "must be <= 9223372036854775807"),
                Arguments.of("ofLong", "9223372036854775807.0", "must be <= 9223372036854775807"),
                Arguments.of("ofFloat", "3.5e38", "must be <= 3.4028234663852886e+38"),
                Arguments.of("ofFloat", "16777217", "cannot be read as number"),
                Arguments.of("ofDouble", "9007199254740993", "cannot be read as number"),
                Arguments.of("ofDouble", "9223372036854775807", "cannot be read as number"),
                Arguments.of("ofDouble", "18446744073709551617", "cannot be read as number"),
                Arguments.of("ofBigInteger", "0.5", "expected integer"),
                Arguments.of("ofBigDecimal", "\"ten\"", "cannot be read as decimal"),
                Arguments.of("ofBigDecimal", "null", "expected number or string"));
    }

    @ParameterizedTest
    @MethodSource
    void refused(String tool, String number, String message) {
        ToolError error = Invoking.refused(TOOLS.get(tool), "{\"n\":" + number + "}");
        assertEquals(ErrorKind.INVALID_ARGUMENTS, error.kind());
        assertEquals("n: " + message, error.message());
    }
}
