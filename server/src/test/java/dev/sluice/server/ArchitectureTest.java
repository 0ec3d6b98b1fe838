package dev.sluice.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of the server know nothing of each other; only the server puts them together. */
@Tag("slow")
class ArchitectureTest {
    private static final String ROOT = "dev.sluice.server";
    private static final JavaClasses SERVER = imported();

    /** Without looking into the libraries, whose classes are many. */
    private static JavaClasses imported() {
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(ROOT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"web", "envoy", "admin"})
    void aPartStandsForItself(String part) {
        for (String other : new String[] {"", ".check", ".envoy", ".admin"}) {
            if (!other.equals("." + part)) {
                noClasses()
                        .that()
                        .resideInAPackage(ROOT + "." + part)
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(ROOT + other)
                        .check(SERVER);
            }
        }
    }
}
