package dev.sluice.simulate;

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
}
