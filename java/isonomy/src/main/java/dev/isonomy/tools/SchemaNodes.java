// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/**
 * Plain values as the nodes that the schema library reads. Numbers that are equal become equal nodes, 1.0 the node of
 * 1, because the library compares nodes inside lists and objects by their class.
 */
final class SchemaNodes {

    private SchemaNodes() {}

    static JsonNode of(Object value) {
        if (value instanceof String text) {
            return TextNode.valueOf(text);
        }
        if (value instanceof Map<?, ?> map) {
            ObjectNode node = JsonNodeFactory.instance.objectNode();
            map.forEach((name, member) -> node.set((String) name, of(member)));
            return node;
        }
        if (value instanceof List<?> list) {
            ArrayNode node = JsonNodeFactory.instance.arrayNode(list.size());
            list.forEach(item -> node.add(of(item)));
            return node;
        }
        if (value instanceof Boolean one) {
            return BooleanNode.valueOf(one);
        }
        return value instanceof Number number ? number(number) : NullNode.getInstance();
    }

    private static JsonNode number(Number number) {
        if (number instanceof Double one) {
            return TypeCheck.isInteger(one) ? integer(new BigDecimal(one).toBigInteger()) : DoubleNode.valueOf(one);
        }
        return number instanceof BigInteger one ? integer(one) : LongNode.valueOf(number.longValue());
    }

    private static JsonNode integer(BigInteger value) {
        return value.bitLength() < Long.SIZE ? LongNode.valueOf(value.longValue()) : BigIntegerNode.valueOf(value);
    }
}
