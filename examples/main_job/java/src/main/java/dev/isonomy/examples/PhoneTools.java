// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.examples;

import com.google.i18n.phonenumbers.NumberParseException;
import com.google.i18n.phonenumbers.PhoneNumberUtil;
import com.google.i18n.phonenumbers.PhoneNumberUtil.PhoneNumberFormat;
import com.google.i18n.phonenumbers.PhoneNumberUtil.PhoneNumberType;
import com.google.i18n.phonenumbers.PhoneNumberUtil.ValidationResult;
import com.google.i18n.phonenumbers.Phonenumber.PhoneNumber;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolParam;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tools for phone numbers, on Google's libphonenumber (Apache-2.0). */
public final class PhoneTools {

    private static final PhoneNumberUtil PHONES = PhoneNumberUtil.getInstance();

    /** A number, taken apart. */
    public record Phone(String e164, int callingCode, String region, PhoneNumberType type, boolean valid) {}

    /** A number found in a text, which starts there at a character. */
    public record Found(int start, String written, String e164) {}

    private PhoneTools() {}

    /** Takes a number apart; throws where it is none. */
    @Tool(name = "parse_phone", description = "Take a phone number apart.")
    public static Phone parse(
            @ToolParam(description = "the number as written") String number,
            @ToolParam(description = "ISO country code, for a number in national form") Optional<String> region)
            throws NumberParseException {
        PhoneNumber parsed = PHONES.parse(number, region.orElse(null));
        return new Phone(
                PHONES.format(parsed, PhoneNumberFormat.E164),
                parsed.getCountryCode(),
                PHONES.getRegionCodeForNumber(parsed),
                PHONES.getNumberType(parsed),
                PHONES.isValidNumber(parsed));
    }

    /** Writes a number in one style; fails where nobody can have that number. */
    @Tool(name = "format_phone", description = "Write a phone number in one style.")
    public static ToolResponse format(
            @ToolParam(description = "the number in international form") String number, PhoneNumberFormat style)
            throws NumberParseException {
        PhoneNumber parsed = PHONES.parse(number, null);
        if (!PHONES.isValidNumber(parsed)) {
            ValidationResult length = PHONES.isPossibleNumberWithReason(parsed);
            return ToolResponse.failure("no such number can be in use")
                    .code("INVALID_NUMBER")
                    .retryable(false)
                    .details(Map.of("length", length.name()))
                    .build();
        }
        return ToolResponse.success(PHONES.format(parsed, style));
    }

    /** Says how a number is dialled from another country. */
    @Tool(name = "dial_from", description = "Tell how to dial a phone number from a country.")
    public static ToolResponse dial(
            @ToolParam(description = "the number in international form") String number,
            @ToolParam(name = "from", description = "ISO code of the caller's country") String region)
            throws NumberParseException {
        if (!PHONES.getSupportedRegions().contains(region)) {
            return ToolResponse.failure("no country has the ISO code " + region)
                    .code("UNKNOWN_REGION")
                    .build();
        }
        return ToolResponse.success(PHONES.formatOutOfCountryCallingNumber(PHONES.parse(number, null), region));
    }

    /** Finds the numbers in a text. */
    @Tool(name = "find_phones", description = "Find the phone numbers in a text.")
    public static List<Found> find(
            String text, @ToolParam(description = "ISO country code of numbers in national form") String region) {
        List<Found> found = new ArrayList<>();
        PHONES.findNumbers(text, region)
                .forEach(match -> found.add(new Found(
                        match.start(),
                        match.rawString(),
                        PHONES.format(match.number(), PhoneNumberFormat.E164))));
        return found;
    }
}
