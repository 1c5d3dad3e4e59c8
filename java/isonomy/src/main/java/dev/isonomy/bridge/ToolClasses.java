// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import dev.isonomy.contract.Misuse;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The classes of tools, below this library's own loader: what the tools share with their host is loaded once, by the
 * parent (clause 3.10). They stay open as long as the process: their tools may be called until then.
 */
public final class ToolClasses {

    private final URLClassLoader loader;

    private ToolClasses(URLClassLoader loader) {
        this.loader = loader;
    }

    /**
     * The classes of a class path.
     *
     * @param classPath jars and folders; empty: where this library itself comes from
     * @throws Misuse an entry does not exist
     */
    public static ToolClasses of(String[] classPath) {
        URL[] urls = new URL[classPath.length];
        for (int i = 0; i < urls.length; i++) {
            Path entry = Path.of(classPath[i]);
            if (!Files.exists(entry)) {
                throw new Misuse("the entry \"" + classPath[i] + "\" of the class path does not exist; check its path");
            }
            try {
                urls[i] = entry.toUri().toURL();
            } catch (MalformedURLException notOne) {
                throw new Misuse("the entry \"" + classPath[i] + "\" of the class path is no file or folder");
            }
        }
        return new ToolClasses(new URLClassLoader("isonomy-tools", urls, BridgeEndpoint.class.getClassLoader()));
    }

    ClassLoader loader() {
        return loader;
    }
}
