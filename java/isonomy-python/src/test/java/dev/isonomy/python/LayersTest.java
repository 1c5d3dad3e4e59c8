// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.python;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What Python tools are made of: workers and what every tool is made of, and nothing of a runtime. */
@AnalyzeClasses(packages = "dev.isonomy.python", importOptions = ImportOption.DoNotIncludeTests.class)
final class LayersTest {

    @ArchTest
    static final ArchRule python = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.isonomy.python..", "dev.isonomy.bridge.workers..", "dev.isonomy.tools..",
                    "dev.isonomy.contract..", "java..");
}
