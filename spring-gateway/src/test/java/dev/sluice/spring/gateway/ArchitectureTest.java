package dev.sluice.spring.gateway;

import dev.sluice.architecture.Rooms;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The packages and their directions. */
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
}
