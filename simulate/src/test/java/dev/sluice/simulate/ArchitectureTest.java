package dev.sluice.simulate;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sluice.architecture.Rooms;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The direction of imports. */
@Tag("slow")
class ArchitectureTest {
    @Test
    void packagesAreAsDrawn() {
        Rooms.ofThisModule().areAsDrawn();
    }

    @Test
    void packagesHaveNoCycle() {
        Rooms.ofThisModule().haveNoCycle();
    }

    @Test
    void simulationDependsOnTheCoreAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "dev.sluice", "dev.sluice.simulate", "org.jspecify..")
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("dev.sluice.simulate"));
    }
}
