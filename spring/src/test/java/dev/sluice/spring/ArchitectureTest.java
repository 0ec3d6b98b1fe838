package dev.sluice.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sluice.architecture.Rooms;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The packages and their directions, and which of them know servlets, Reactor, Boot 3 and Boot 4. */
@Tag("slow")
class ArchitectureTest {
    private static final JavaClasses STARTER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.sluice.spring");

    @Test
    void packagesAreAsDrawn() {
        Rooms.ofThisModule().areAsDrawn();
    }

    @Test
    void packagesHaveNoCycle() {
        Rooms.ofThisModule().haveNoCycle();
    }

    @Test
    void theRulesOfAnApplicationKnowNoServletsAndNoReactor() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.spring")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta.servlet..", "reactor..")
                .check(STARTER);
    }

    @ParameterizedTest
    @CsvSource({
        "dev.sluice.spring.actuate.boot3, org.springframework.boot.actuate.health..",
        "dev.sluice.spring.actuate.boot4, org.springframework.boot.health.."
    })
    void onlyOnePackageEachKnowsWhereHealthIs(String own, String health) {
        noClasses()
                .that()
                .resideOutsideOfPackage(own)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(health)
                .check(STARTER);
    }
}
