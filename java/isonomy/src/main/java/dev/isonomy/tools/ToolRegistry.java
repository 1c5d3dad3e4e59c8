// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Raised;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tools by name, in the order in which they were given. Of tools with one name those that belong to servers are named
 * {@code SERVER__NAME} (clause 14.17). Immutable; safe for use by several threads.
 *
 * <pre>{@code
 * ToolRegistry tools = ToolRegistry.of(Prices.class, new Stock(connection), echo);
 * }</pre>
 */
public final class ToolRegistry implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(ToolRegistry.class);

    private static final String NO_SOURCE =
            "a source of tools is null; give a class, an object with @Tool methods or a tool";

    /** A tool that was given, and what helps against another of its name. */
    private record Given(BoundTool tool, String remedy) {}

    private final List<Given> given = new ArrayList<>();
    private final Map<String, BoundTool> tools = new LinkedHashMap<>();
    private final Map<Class<?>, Object> instances = new HashMap<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    private ToolRegistry() {}

    /**
     * A registry of these tools.
     *
     * @param sources each a {@link BoundTool}, a {@link CallableTool}, a class (its {@code @Tool} methods, the static
     *     ones and those of an instance made by its public constructor without parameters; or a class that implements
     *     {@code CallableTool}), any other object (its {@code @Tool} methods), or a collection of such
     * @throws Misuse a source has no tools, two tools still have one name, or a tool cannot be one
     */
    public static ToolRegistry of(Object... sources) {
        ToolRegistry registry = new ToolRegistry();
        if (sources == null) {
            throw new Misuse(NO_SOURCE);
        }
        for (Object source : sources) {
            registry.add(source);
        }
        return registry.named();
    }

    /**
     * A registry of tools that are named by text, as in a configuration.
     *
     * @param specs each as {@link ToolReference#target}: the name of a class, as {@link #of} takes classes ({@code
     *     com.example.Prices}), or of one public method, marked {@code @Tool} or not ({@code com.example.Prices#find},
     *     {@code java.time.LocalDate#parse(CharSequence)})
     * @throws Misuse as {@link #referenced}
     */
    public static ToolRegistry named(ClassLoader loader, List<String> specs) {
        return referenced(loader, specs.stream().map(ToolReference::to).toList());
    }

    /**
     * A registry of tools that are named by text, and perhaps renamed. Methods of instances run on one that is made by
     * the constructor without parameters, one for each class.
     *
     * @throws Misuse as {@link #of}; or a class or method cannot be found, is not the only one that is meant, or cannot
     *     be called with JSON
     */
    public static ToolRegistry referenced(ClassLoader loader, List<ToolReference> references) {
        ToolRegistry registry = new ToolRegistry();
        for (ToolReference reference : references) {
            Class<?> type = find(loader, reference.className(), reference.target());
            if (reference.isMethod()) {
                Method method = MethodSearch.named(type, reference.signature());
                boolean isStatic = Modifier.isStatic(method.getModifiers());
                Object instance = isStatic ? null : registry.open(type);
                registry.register(MethodTool.of(method, type, instance, reference), ", as \"name\" beside the method");
            } else {
                registry.addClass(type, ", or name one method, as " + MethodSearch.example(type));
            }
        }
        return registry.named();
    }

    /** The tool with that name, or null. */
    public BoundTool get(String name) {
        return tools.get(name);
    }

    /** All tools. */
    public Collection<BoundTool> all() {
        return List.copyOf(tools.values());
    }

    /** Closes the instances that this registry made itself; those that were given stay open (clause 8.14). */
    @Override
    public void close() {
        for (AutoCloseable instance : opened) {
            Outcome end = Boundary.run(
                    () -> {
                        instance.close();
                        return null;
                    },
                    Boundary.NOTHING_PASSES);
            if (end instanceof Raised raised) {
                LOGGER.warn("closing {} failed: {}", instance.getClass().getName(), raised.error().type());
            }
        }
        opened.clear();
    }

    private void add(Object source) {
        if (source instanceof BoundTool tool) {
            register(tool);
        } else if (source instanceof CallableTool tool) {
            register(BoundTool.of(tool));
        } else if (source instanceof Class<?> type) {
            addClass(type, ", or give a BoundTool or a CallableTool");
        } else if (source instanceof Collection<?> several) {
            several.forEach(this::add);
        } else if (source instanceof ToolRegistry registry) {
            registry.tools.values().forEach(this::register);
        } else if (source == null) {
            throw new Misuse(NO_SOURCE);
        } else if (source instanceof CharSequence text) {
            throw new Misuse("the text \"" + text + "\" is no tool; give the class itself, or use"
                    + " ToolRegistry.named(loader, names)");
        } else {
            addMethods(source.getClass(), source, ", or give a BoundTool or a CallableTool");
        }
    }

    private void addClass(Class<?> type, String remedy) {
        if (CallableTool.class.isAssignableFrom(type)) {
            register(BoundTool.of((CallableTool) open(type)));
            return;
        }
        addMethods(type, null, remedy);
    }

    private void addMethods(Class<?> type, Object given, String remedy) {
        List<Method> methods = MethodSearch.marked(type);
        if (methods.isEmpty()) {
            throw new Misuse("the class " + type.getName() + " has no public method marked @Tool;"
                    + " mark one" + remedy);
        }
        Object instance = given;
        for (Method method : methods) {
            boolean isStatic = Modifier.isStatic(method.getModifiers());
            if (!isStatic && instance == null) {
                instance = open(type);
            }
            register(MethodTool.of(method, isStatic ? null : instance));
        }
    }

    private void register(BoundTool tool) {
        register(tool, "");
    }

    private void register(BoundTool tool, String remedy) {
        given.add(new Given(tool, remedy));
    }

    /** Names the tools; of several with one name, those that belong to servers otherwise (clause 14.17). */
    private ToolRegistry named() {
        Map<String, Integer> counts = new HashMap<>();
        given.forEach(each -> counts.merge(each.tool.spec().name(), 1, Integer::sum));
        for (Given each : given) {
            ToolSpec spec = each.tool.spec();
            boolean isQualified = spec.server() != null && counts.get(spec.name()) > 1;
            BoundTool tool = isQualified ? new RenamedTool(each.tool, spec.server() + "__" + spec.name()) : each.tool;
            String name = tool.spec().name();
            if (tools.putIfAbsent(name, tool) != null) {
                throw new Misuse("two tools are named \"" + name + "\"; give one of them another name" + each.remedy);
            }
        }
        given.clear();
        return this;
    }

    private static Class<?> find(ClassLoader loader, String name, String spec) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError cannot) {
            throw new Misuse("the class of the tools \"" + spec + "\" cannot be loaded (" + cannot + "); "
                    + MeantClass.by(loader, name));
        }
    }

    private Object open(Class<?> type) {
        Object known = instances.get(type);
        if (known != null) {
            return known;
        }
        try {
            Object instance = type.getConstructor().newInstance();
            instances.put(type, instance);
            if (instance instanceof AutoCloseable closeable) {
                opened.add(closeable);
            }
            return instance;
        } catch (ReflectiveOperationException | LinkageError cannot) {
            Throwable reason = cannot.getCause() == null ? cannot : cannot.getCause();
            throw new Misuse("the class " + type.getName() + " cannot be made for its tools (" + reason
                    + "); give it a public constructor without parameters, register an instance of it, or name a static method");
        }
    }
}
