// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.journal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Who owns a lease, and whether that is known to be dead (clause J3.4). */
final class Owner {

    private static final Path PROC = Path.of("/proc");
    private static final SecureRandom RANDOM = new SecureRandom();

    private Owner() {}

    /**
     * Names this process and one claim in it: {@code BOOT/PID/START/N}. {@code BOOT} is empty where the system does not
     * tell when it was started, or when the process was.
     */
    static String thisProcess() {
        long pid = ProcessHandle.current().pid();
        String boot = boot();
        String start = start(pid);
        byte[] random = new byte[4];
        RANDOM.nextBytes(random);
        boolean known = boot != null && start != null;
        return (known ? boot : "") + "/" + pid + "/" + (known ? start : "0") + "/" + HexFormat.of().formatHex(random);
    }

    /** Whether an owner's process is known to have ended; false where nobody can know. */
    static boolean isDead(String owner) {
        int n = owner.lastIndexOf('/');
        int start = owner.lastIndexOf('/', n - 1);
        int pid = owner.lastIndexOf('/', start - 1);
        if (pid < 1 || !owner.substring(0, pid).equals(boot())) {
            return false;
        }
        String number = owner.substring(pid + 1, start);
        return number.matches("[0-9]{1,18}")
                && !owner.substring(start + 1, n).equals(start(Long.parseLong(number)));
    }

    /** Names the machine since its start, and the space in which process numbers count; null where nobody knows. */
    private static String boot() {
        try {
            String boot = Files.readString(PROC.resolve("sys/kernel/random/boot_id"), ISO_8859_1).strip();
            String space = Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString();
            return boot + ":" + space.replaceFirst("^pid:", "").replaceAll("^[\\[\\]]+|[\\[\\]]+$", "");
        } catch (IOException untold) {
            return null;
        }
    }

    /** Tells when a process started, in ticks since the start of the machine; null for a dead one. */
    private static String start(long pid) {
        String stat;
        try {
            stat = Files.readString(PROC.resolve(pid + "/stat"), ISO_8859_1);
        } catch (IOException dead) {
            return null;
        }
        // The name of the program, in parentheses, may hold anything. A zombie runs nothing any more.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return fields[0].equals("Z") || fields[0].equals("X") ? null : fields[19].strip();
    }
}
