// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaContext;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.Dialects;
import com.networknt.schema.keyword.AbstractKeyword;
import com.networknt.schema.keyword.KeywordValidator;
import com.networknt.schema.keyword.NonValidationKeyword;
import com.networknt.schema.keyword.UniqueItemsValidator;
import com.networknt.schema.path.NodePath;

/** JSON Schema 2020-12 as the library knows it, where it strays from the specification put right. */
final class SchemaDialect {

    /** The dialect. */
    static final Dialect DIALECT = Dialect.builder(Dialects.getDraft202012())
            .keyword(new UniqueItems())
            // A schema may hold words of its own; the library would log each of them.
            .unknownKeywordFactory((word, context) -> new NonValidationKeyword(word))
            .build();

    private SchemaDialect() {}

    /** Speaks of lists only; the library's own wants the members of an object to differ too. */
    private static final class UniqueItems extends AbstractKeyword {

        UniqueItems() {
            super("uniqueItems");
        }

        @Override
        public KeywordValidator newValidator(
                SchemaLocation location, JsonNode keyword, Schema parent, SchemaContext context) {
            return new UniqueItemsValidator(location, keyword, parent, context) {
                @Override
                public void validate(ExecutionContext execution, JsonNode node, JsonNode root, NodePath path) {
                    if (node.isArray()) {
                        super.validate(execution, node, root, path);
                    }
                }
            };
        }
    }
}
