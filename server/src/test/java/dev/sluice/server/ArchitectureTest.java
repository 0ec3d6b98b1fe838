package dev.sluice.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sluice.architecture.Rooms;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The direction of imports, and which package knows which library. */
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

    @Test
    void packagesAreAsDrawn() {
        Rooms.ofThisModule().areAsDrawn();
    }

    @Test
    void packagesHaveNoCycle() {
        Rooms.ofThisModule().haveNoCycle();
    }

    @Test
    void onlyTheRuleFileKnowsYaml() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.snakeyaml..")
                .check(SERVER);
    }

    @ParameterizedTest
    @CsvSource({
        "picocli..,cli",
        "io.micrometer..,metrics",
        "io.prometheus..,metrics",
        "org.apache.datasketches..,metrics",
        "io.lettuce..,ruleset history",
        "com.google.protobuf..,envoy envoy.file",
        "io.envoyproxy..,envoy envoy.file",
        "io.netty.channel..,web",
        "ch.qos.logback..,log",
        "io.opentelemetry..,trace",
    })
    void oneRoomKnowsALibrary(String library, String rooms) {
        noClasses()
                .that()
                .resideOutsideOfPackages(Stream.of(rooms.split(" "))
                        .map(room -> ROOT + "." + room)
                        .toArray(String[]::new))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(SERVER);
    }
}
