package dev.sluice.redis;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sluice.architecture.Rooms;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The packages of this module and the libraries they use. */
@Tag("slow")
class ArchitectureTest {
    private static final JavaClasses REDIS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.sluice.redis");

    @Test
    void packagesAreAsDrawn() {
        Rooms.ofThisModule().areAsDrawn();
    }

    @Test
    void packagesHaveNoCycle() {
        Rooms.ofThisModule().haveNoCycle();
    }

    @Test
    void scriptsDoNotKnowTheClients() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.redis.script")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.lettuce..", "io.netty..", "redis.clients..")
                .check(REDIS);
    }

    @Test
    void clientsDoNotKnowLimits() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.redis.client")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.sluice", "dev.sluice.spi..")
                .check(REDIS);
    }

    @Test
    void nobodyReachesIntoTheInProcessStore() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.sluice.local..", "dev.sluice.algorithm..")
                .check(REDIS);
    }
}
