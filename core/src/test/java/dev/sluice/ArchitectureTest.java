package dev.sluice;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sluice.architecture.Rooms;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The direction of imports, and what must not be found where. */
@Tag("slow")
class ArchitectureTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.sluice");

    @Test
    void packagesAreAsDrawn() {
        Rooms.ofThisModule().areAsDrawn();
    }

    @Test
    void packagesHaveNoCycle() {
        Rooms.ofThisModule().haveNoCycle();
    }

    @Test
    void theCoreDependsOnNothing() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "dev.sluice..", "org.jspecify..")
                .check(CORE);
    }

    @Test
    void algorithmsReadNoClockAndThrowNoDice() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.algorithm")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(Random.class)
                .orShould()
                .callMethod(ThreadLocalRandom.class, "current")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .check(CORE);
    }

    @Test
    void onlyTheStoreInThisProcessReadsTheWallClock() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sluice.local")
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .check(CORE);
    }

    @Test
    void nothingBlocksInAMonitor() {
        noClasses()
                .should()
                .callMethod(Object.class, "wait")
                .orShould()
                .callMethod(Object.class, "wait", long.class)
                .check(CORE);
    }
}
