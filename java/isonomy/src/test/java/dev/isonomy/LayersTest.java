// SPDX-License-Identifier: Apache-2.0
package dev.isonomy;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Arrays;
import java.util.stream.Stream;

/** The layers of the house, the same as those of the Python packages: who may use whom. */
@AnalyzeClasses(packages = "dev.isonomy", importOptions = ImportOption.DoNotIncludeTests.class)
final class LayersTest {

    @ArchTest static final ArchRule contract = layer("contract");
    @ArchTest static final ArchRule tools = layer("tools", "contract");
    @ArchTest static final ArchRule bridge = layer("bridge", "contract", "tools");
    @ArchTest static final ArchRule worker = layer("worker", "contract", "tools", "bridge");
    @ArchTest static final ArchRule mcp = layer("mcp", "contract", "tools");
    @ArchTest static final ArchRule journal = layer("journal", "contract");
    @ArchTest static final ArchRule observe = layer("observe", "contract");
    @ArchTest static final ArchRule runtime = layer("runtime", "contract", "tools");

    /** The bundle renames the libraries in it: a tool built against the plain jar would not find them in our API. */
    @ArchTest
    static final ArchRule ourApiIsOurs = codeUnits()
            .that()
            .arePublic()
            .and()
            .areDeclaredInClassesThat()
            .arePublic()
            .should(new ArchCondition<JavaCodeUnit>("speak of our types and the platform's alone") {
                @Override
                public void check(JavaCodeUnit unit, ConditionEvents events) {
                    Stream.concat(Stream.of(unit.getRawReturnType()), unit.getRawParameterTypes().stream())
                            .map(JavaClass::getBaseComponentType)
                            .filter(type -> !type.isPrimitive() && !type.getName().matches("(dev\\.isonomy|java)\\..*"))
                            .forEach(type -> events.add(SimpleConditionEvent.violated(
                                    unit, unit.getFullName() + " speaks of " + type.getName())));
                }
            });

    private static ArchRule layer(String name, String... lower) {
        String[] mayUse =
                Stream.concat(Stream.of(name), Arrays.stream(lower))
                        .map(LayersTest::packages)
                        .toArray(String[]::new);
        DescribedPredicate<JavaClass> otherLayers =
                resideInAPackage("dev.isonomy..").and(not(resideInAnyPackage(mayUse)));
        return noClasses()
                .that()
                .resideInAPackage(packages(name))
                .should()
                .dependOnClassesThat(otherLayers)
                .because(name + " may use only " + Arrays.toString(lower) + " of ours")
                .allowEmptyShould(true);
    }

    private static String packages(String layer) {
        return "dev.isonomy." + layer + "..";
    }
}
