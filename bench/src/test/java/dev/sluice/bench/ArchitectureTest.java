package dev.sluice.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.sluice.architecture.Rooms;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The packages of this module and the libraries they use. */
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

    /** So that {@code bench/spring} can use the reports without the libraries that the others measure. */
    @Test
    void reportsKnowNothingOfWhatIsMeasured() {
        classes()
                .that()
                .resideInAPackage("dev.sluice.bench.report")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.sluice.bench.report", "java..", "org.openjdk.jmh..", "org.jspecify..")
                .check(new ClassFileImporter().importPath(Path.of("target", "classes")));
    }
}
