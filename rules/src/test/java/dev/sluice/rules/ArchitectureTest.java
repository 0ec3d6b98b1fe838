package dev.sluice.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sluice.architecture.Rooms;
import java.net.InetAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The packages of this module and the libraries they use. */
@Tag("slow")
class ArchitectureTest {
    private static final JavaClasses RULES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.sluice.rules");

    @Test
    void packagesAreAsDrawn() {
        Rooms.ofThisModule().areAsDrawn();
    }

    @Test
    void packagesHaveNoCycle() {
        Rooms.ofThisModule().haveNoCycle();
    }

    @Test
    void rulesDependOnTheCoreAndTwoReaders() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "dev.sluice",
                        "dev.sluice.spi",
                        "dev.sluice.text",
                        "dev.sluice.rules..",
                        "org.jspecify..",
                        "org.snakeyaml.engine..",
                        "com.maxmind.db")
                .check(RULES);
    }

    @Test
    void onlyTheRuleFileKnowsYaml() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sluice.rules.file")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.snakeyaml.engine..")
                .check(RULES);
    }

    @Test
    void nobodyAsksTheDns() {
        noClasses()
                .should()
                .callMethod(InetAddress.class, "getByName", String.class)
                .orShould()
                .callMethod(InetAddress.class, "getAllByName", String.class)
                .orShould()
                .callMethod(InetAddress.class, "getByAddress", String.class, byte[].class)
                .check(RULES);
    }
}
