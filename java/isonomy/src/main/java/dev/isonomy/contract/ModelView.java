// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.ArrayList;
import java.util.List;

/**
 * What a model sees of a response (clause 11).
 *
 * @param isError whether the response is a failure
 * @param content the blocks, in order
 */
public record ModelView(boolean isError, List<Block> content) {
    /** How many code points all text blocks of a view have together, unless said otherwise. */
    public static final int DEFAULT_MAX_CHARS = 100_000;

    /** Copies the blocks. */
    public ModelView {
        content = Copies.list(content, "the content of a view");
    }

    /** The view with the message of unexpected exceptions and at most 100,000 characters. */
    public static ModelView of(ToolResponse response) {
        return of(response, Unexpected.MESSAGE, DEFAULT_MAX_CHARS);
    }

    /**
     * The view of a response.
     *
     * @param unexpected what is shown of an exception that the tool did not declare
     * @param maxChars how many code points all text blocks may have together, from 1
     */
    public static ModelView of(ToolResponse response, Unexpected unexpected, int maxChars) {
        if (maxChars < 1) {
            throw new Misuse("maxChars is " + maxChars + "; give a number from 1");
        }
        List<Block> shown = response instanceof ToolFailure failure
                ? ofFailure(failure, unexpected)
                : ofSuccess((ToolSuccess) response);
        return new ModelView(!response.isSuccess(), cut(shown, maxChars));
    }

    private static List<Block> ofSuccess(ToolSuccess success) {
        return success.content().isEmpty()
                ? List.of(Block.text(PlainForm.text(success.result())))
                : success.content();
    }

    private static List<Block> ofFailure(ToolFailure failure, Unexpected unexpected) {
        ToolError error = failure.error();
        String code = error.code() == null ? "" : " " + error.code();
        List<Block> shown = new ArrayList<>();
        shown.add(Block.text("error [" + error.kind().wire() + code + "]: " + error.publicMessage(unexpected)));
        boolean repeated = joinedTexts(failure.content()).equals(error.message());
        for (Block block : failure.content()) {
            if (!repeated || !block.isText()) {
                shown.add(block);
            }
        }
        return shown;
    }

    private static String joinedTexts(List<Block> content) {
        List<String> texts = new ArrayList<>();
        for (Block block : content) {
            if (block.isText()) {
                texts.add(block.textOrNull());
            }
        }
        return String.join("\n", texts);
    }

    /** Text beyond the limit is left out, and each block says how much of it (clause 11.5). */
    private static List<Block> cut(List<Block> blocks, int maxChars) {
        List<Block> kept = new ArrayList<>(blocks.size());
        int left = maxChars;
        for (Block block : blocks) {
            String text = block.textOrNull();
            int length = text == null ? 0 : text.codePointCount(0, text.length());
            if (length <= left) {
                left -= length;
                kept.add(block);
            } else {
                String note = "[cut: " + (length - left) + " more characters]";
                kept.add(block.withText(
                        left == 0 ? note : text.substring(0, text.offsetByCodePoints(0, left)) + "\n" + note));
                left = 0;
            }
        }
        return kept;
    }
}
