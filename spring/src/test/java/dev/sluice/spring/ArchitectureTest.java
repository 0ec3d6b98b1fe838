package dev.sluice.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The direction of imports, and where Boot 3 and Boot 4 differ. */
class ArchitectureTest {
    private static final JavaClasses STARTER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.sluice.spring");

    @Test
    void theMiddleKnowsNothingOfTheRest() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.spring")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.sluice.spring.web",
                        "dev.sluice.spring.method",
                        "dev.sluice.spring.actuate",
                        "dev.sluice.spring.client",
                        "dev.sluice.spring.test",
                        "jakarta.servlet..",
                        "reactor..")
                .check(STARTER);
    }

    @Test
    void annotationsKnowTheWebAndNotTheOtherWayRound() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.sluice.spring.web", "dev.sluice.spring.client", "dev.sluice.spring.actuate")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.sluice.spring.method", "dev.sluice.spring.test")
                .check(STARTER);
    }

    @Test
    void onlyOneClassEachKnowsWhereHealthIs() {
        noClasses()
                .that()
                .haveSimpleNameNotStartingWith("HealthOnBoot")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework.boot.actuate.health", "org.springframework.boot.health..")
                .check(STARTER);
    }
}
