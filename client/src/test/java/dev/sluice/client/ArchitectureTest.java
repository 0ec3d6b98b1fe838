package dev.sluice.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.sluice.architecture.Rooms;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The direction of imports: none but the JDK's. */
@Tag("slow")
class ArchitectureTest {
    @Test
    void packagesAreAsDrawn() {
        Rooms.ofThisModule().areAsDrawn();
    }

    @Test
    void nothingButTheJdkIsUsed() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.sluice.client", "java..", "javax.net.ssl", "org.jspecify.annotations")
                .check(new ClassFileImporter().importPath(Path.of("target", "classes", "dev")));
    }
}
